/** What a file is, and which batch it has the results of. Requests copy what they need of an uploaded file. */
import { BATCH_ACCOUNT, type BatchRecord } from '../../../actors/batch/batch-record.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import type { Cluster, Inspection, RowReader } from '../../../actors/runtime/index.ts';
import { accountAddress, batchAddress } from '../../../actors/terms/ids.ts';
import { factsOf, type KindTab, type KindTabView, tableOf } from './kind-tab.ts';

/** Batches that were accepted before the file was written, the newest first, that are looked through. */
const BATCHES_MAX = 1_000;

export const fileUses: KindTab = { name: 'Where used', read };

async function read({ rows }: Cluster, { address, state }: Inspection): Promise<KindTabView> {
  const row = await rows.row(address, 'file', address.slice(address.indexOf('/') + 1));
  const file = row === null ? null : (JSON.parse(row.body) as FileRecord);
  const batch = file === null ? null : await batchOf(rows, file);
  const uses =
    batch === null ? [] : [[batchAddress(batch.account, batch.id), 'its results', batch.status, batch.createdAt]];
  const empty =
    file?.purpose === 'batch_output'
      ? 'Its batch is no longer shown'
      : 'No use is recorded: requests, batches and videos copy what they need of an uploaded file';
  const columns = { Actor: 'actor', As: 'text', Status: 'state', 'Accepted (UTC)': 'time' } as const;
  return { facts: factsOfFile(file, state), tables: [tableOf('Where it is used', empty, columns, uses)] };
}

function factsOfFile(file: FileRecord | null, state: string) {
  return factsOf([
    ['State', 'state', state],
    ['Account', 'actor', file && accountAddress(file.account)],
    ['Name', 'text', file?.filename],
    ['Size', 'bytes', file?.bytes],
    ['Media type', 'text', file?.mimeType],
    ['Purpose', 'text', file?.purpose],
    ['Stored (UTC)', 'time', file?.createdAt],
    ['Readable until (UTC)', 'time', file?.expiresAt],
  ]);
}

async function batchOf(rows: RowReader, { id, account, purpose, createdAt }: FileRecord): Promise<BatchRecord | null> {
  if (purpose !== 'batch_output') return null;
  const where = { column: BATCH_ACCOUNT, equals: account } as const;
  const after = { sort: createdAt + 1, id: '' };
  const found = await rows.rows({ collection: 'batch', where, order: 'descending', after, limit: BATCHES_MAX });
  return found.map(({ body }) => JSON.parse(body) as BatchRecord).find((one) => one.resultsFileId === id) ?? null;
}
