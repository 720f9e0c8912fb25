/** The file kind and its client functions. Lists and look-ups read rows from the store, on any node. */
import type { ActorEvent, Cluster, Json, Kind, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { FEED_EVENTS, feedEventCollection } from '../terms/feed-event.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { fileAddress, timeOfId } from '../terms/ids.ts';
import type { NewFile } from './file.machine.ts';
import { type FileState, fileMachine } from './file.machine.ts';
import { FILE_ACCOUNT, FILE_PURPOSE, type FileRecord, fileCollection, purposeColumn } from './file-record.ts';

export const fileKind: Kind = {
  name: 'file',
  machine: fileMachine,
  version: 1,
  creates: ['file.store'],
  finishes: ['file.delete'],
  volatile: [],
  collections: { file: fileCollection, [FEED_EVENTS]: feedEventCollection },
  history: EVERY_STEP,
  explain: explainFile,
  redact: (context: Json) => context,
};

interface StoreOptions {
  readonly lifetimeMs: number;
  readonly accountBytesMax: number;
  readonly withinMs: number;
}

type Stored = Pick<FileRecord, 'createdAt' | 'expiresAt'>;

/**
 * Records a file whose bytes are in the blob store. The id is the natural id: a repeat returns what was recorded.
 * Rejects with AskError `rejected` when the account's storage is full; nothing is stored then.
 */
export async function storeFile(cluster: Cluster, file: NewFile, options: StoreOptions): Promise<Stored> {
  const { lifetimeMs, accountBytesMax, withinMs } = options;
  const event = { type: 'file.store', file: plain(file), lifetimeMs, accountBytesMax };
  const address = fileAddress(file.account, file.id);
  return ask<Stored>(cluster, address, event, withinMs);
}

/** Deletes a stored file. False: it was deleted or expired before. */
export async function deleteFile(cluster: Cluster, file: FileRecord, withinMs: number): Promise<boolean> {
  const address = fileAddress(file.account, file.id);
  const answer = await cluster.ask(address, { type: 'file.delete' }, { withinMs, repeat: markRepeat });
  return (answer as unknown as { readonly deleted: boolean }).deleted;
}

/** A readable file of the account; null for one that is unknown, another account's, deleted or expired. */
export async function findFile(cluster: Cluster, account: string, id: string): Promise<FileRecord | null> {
  const row = await cluster.rows.row(fileAddress(account, id), 'file', id);
  const file = row === null ? null : (JSON.parse(row.body) as FileRecord);
  return file === null || file.expiresAt <= cluster.now() ? null : file;
}

interface FileQuery {
  /** Only files with this purpose; null for all. */
  readonly purpose: string | null;
  /** Continues after this file id, which need not exist; null begins. */
  readonly after: string | null;
  readonly order: 'ascending' | 'descending';
  /** 1 to 1000. */
  readonly limit: number;
}

/** Reads after which a page ends, so that many expired files cannot make one look-up long. */
const PAGE_READS_MAX = 8;

interface FilePage {
  readonly files: readonly FileRecord[];
  readonly hasMore: boolean;
}

/** Files of an account by age. Expired files that are not removed yet are left out. */
export async function listFiles(cluster: Cluster, account: string, query: FileQuery): Promise<FilePage> {
  const { purpose, after, order, limit } = query;
  const where =
    purpose === null
      ? ({ column: FILE_ACCOUNT, equals: account } as const)
      : ({ column: FILE_PURPOSE, equals: purposeColumn(account, purpose) } as const);
  const files: FileRecord[] = [];
  let last = after;
  for (let reads = 0; reads < PAGE_READS_MAX; reads++) {
    const cursor = last === null ? {} : { after: { sort: timeOfId(last), id: last } };
    const rows = await cluster.rows.rows({ collection: 'file', where, order, limit, ...cursor });
    const now = cluster.now();
    const found = rows.map((row) => JSON.parse(row.body) as FileRecord);
    files.push(...found.filter((file) => file.expiresAt > now));
    if (found.length < limit) return { files: files.slice(0, limit), hasMore: files.length > limit };
    if (files.length > limit) break;
    last = found.at(-1)?.id ?? null;
  }
  return { files: files.slice(0, limit), hasMore: true };
}

function markRepeat(event: ActorEvent): ActorEvent {
  return { ...event, repeat: true };
}

function explainFile({ state, context }: View): readonly string[] {
  const { file } = context as unknown as FileState;
  if (file === null) return ['The file is being stored.'];
  if (state === 'stored') {
    return [`${file.bytes} bytes, readable until ${new Date(file.expiresAt).toISOString()}.`];
  }
  return [`The file was ${state}: every route answers 404 for it.`];
}
