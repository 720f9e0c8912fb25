import type { LineRecord, UnsentType } from '../../../actors/batch/line-record.ts';
import type { ResultsInput, WrittenResults } from '../../../actors/batch/results.ts';
import {
  type ActivityHandler,
  type ActivityTask,
  type ByteAccess,
  type Json,
  type SealingKey,
  sealBlob,
} from '../../../actors/runtime/index.ts';
import { batchAddress, fileId, lineGenerationId, lineId } from '../../../actors/terms/ids.ts';
import { type FileServices, placeOfFile } from '../../files/file-services.ts';
import type { ResultsServices } from '../job-services.ts';
import { placeOfReply, readSealed } from './read-sealed.ts';

/** Results files that one node writes at once. */
const RESULTS_RUNNING_MAX = 8;
/** Rows of one read: small replies are in them. */
const PAGE_ROWS = 50;

const UNSENT: Readonly<Record<UnsentType, string>> = {
  batch_cancelled: 'The batch was cancelled before this request was sent',
  batch_expired: 'The completion window of the batch closed before this request was sent',
  results_full: 'The results file had no room left for a reply to this request',
};

/**
 * The activity `results`: writes one JSON line for each line of a batch, in the order of the submission, as one sealed
 * blob. Memory for a page of rows and one reply. A reply whose key is lost is written as an error that names its
 * charge. (rule B28, rule B31)
 */
export function resultsHandler(services: () => ResultsServices): ActivityHandler {
  return {
    runningMax: RESULTS_RUNNING_MAX,
    runningPerGroupMax: RESULTS_RUNNING_MAX,
    run: async (task) => (await writeResults(services(), task)) as unknown as Json,
  };
}

async function writeResults({ files, crashpoint }: ResultsServices, { input }: ActivityTask): Promise<WrittenResults> {
  const { bytes, cluster, random } = files;
  const results = input as unknown as ResultsInput;
  const lost = { count: 0 };
  // While the key store is out of reach nothing may be stored.
  const key = await bytes.keys.current();
  const blob = await bytes.blobs.put(resultLines({ files, results, lost }));
  const id = fileId(random, cluster.now());
  const sealed = sealBlob(key, placeOfFile(results.account, id), blob, random);
  crashpoint('results.written');
  return { id, blob: sealed, lost: lost.count };
}

interface Writing {
  readonly files: FileServices;
  readonly results: ResultsInput;
  readonly lost: { count: number };
}

async function* resultLines({ files, results, lost }: Writing): AsyncIterable<Buffer> {
  const { cluster, background } = files;
  const bytes = withKeysOnce(files.bytes);
  const { account, batch } = results;
  const query = { collection: 'line', address: batchAddress(account, batch), limit: PAGE_ROWS } as const;
  let after: { readonly sort: number; readonly id: string } | null = null;
  for (;;) {
    const rows: Awaited<ReturnType<typeof cluster.rows.rows>> = await cluster.rows.rows(
      after === null ? query : { ...query, after },
    );
    for (const { body } of rows) {
      const line = JSON.parse(body) as LineRecord;
      const text = await background.run(account, () => resultLine(bytes, line, { results, lost }));
      yield Buffer.from(`${text}\n`);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = { sort: last.sort, id: last.id };
  }
}

/**
 * Asks for the key of each hour once: a thousand replies have keys of a few hours, and each would be read from disk.
 */
function withKeysOnce({ blobs, keys }: ByteAccess): ByteAccess {
  const known = new Map<number, Promise<SealingKey>>();
  const key = (hour: number): Promise<SealingKey> => {
    const found = known.get(hour) ?? keys.key(hour);
    known.set(hour, found);
    return found;
  };
  return { blobs, keys: { current: () => keys.current(), key } };
}

async function resultLine(
  bytes: ByteAccess,
  { index, customId, outcome }: LineRecord,
  { results, lost }: Omit<Writing, 'files'>,
): Promise<string> {
  const { batch, unsentAs } = results;
  const ids = `"id":${JSON.stringify(lineId(batch, index))},"custom_id":${JSON.stringify(customId)}`;
  if (outcome === null) return failedLine(ids, unsentError(unsentAs));
  if ('error' in outcome) {
    const { type, message, param, code, requestId } = outcome.error;
    return failedLine(ids, { type, message, param, code, request_id: requestId });
  }
  const requestId = lineGenerationId(batch, index);
  const reply = outcome.reply.body;
  const place = placeOfReply(results.account, batch, index);
  const body = await readSealed(bytes, place, 'value' in reply ? reply.value : reply.blob);
  if (body === null) {
    lost.count++;
    const message = 'The reply can no longer be opened: its key is destroyed';
    return failedLine(ids, { type: 'server', message, param: null, code: 500, request_id: requestId });
  }
  const { statusCode } = outcome.reply;
  // The body is JSON text of ours with exact digits, so it is not parsed.
  return `{${ids},"response":{"status_code":${statusCode},"request_id":${JSON.stringify(requestId)},"body":${body}},"error":null}`;
}

interface WireError {
  readonly type: string;
  readonly message: string;
  readonly param: string | null;
  readonly code: number | null;
  readonly request_id: string | null;
}

function failedLine(ids: string, error: WireError): string {
  return `{${ids},"response":null,"error":${JSON.stringify(error)}}`;
}

function unsentError(type: UnsentType | null): WireError {
  if (type === null) throw new Error('a line of an ended batch has neither outcome nor reason');
  return { type, message: UNSENT[type], param: null, code: null, request_id: null };
}
