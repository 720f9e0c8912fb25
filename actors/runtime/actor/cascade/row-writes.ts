import type { RegisteredCollection } from '../charts/register.ts';
import type { ActorEvent, Json } from '../event.ts';
import type { Cell } from './cell.ts';
import type { RowCache, RowWrite } from './row-cache.ts';

const NO_INDEX: readonly null[] = Object.freeze([]);

/**
 * The write of a row, with its columns derived from its body as the collection declares. Throws on a sort that is not
 * finite and on a text with the character NUL, which not every store accepts.
 */
export function deriveRow(beside: RowCache, collection: RegisteredCollection, id: string, body: Json): RowWrite {
  const sort = collection.sort(body);
  if (!Number.isFinite(sort)) throw new Error(`row ${collection.name}/${id} has no finite sort`);
  if (id.includes('\0')) throw new Error(`the id of a row of ${collection.name} holds the character NUL`);
  const open = collection.open?.(body) ?? false;
  const expiresAt = open || collection.retentionMs === null ? null : sort + collection.retentionMs;
  return {
    beside,
    collection,
    id,
    removed: false,
    body,
    sort,
    index: indexOf(collection, id, body),
    open,
    expiresAt,
    held: null,
  };
}

function indexOf(collection: RegisteredCollection, id: string, body: Json): readonly (string | null)[] {
  const columns = collection.index;
  if (columns.length === 0) return NO_INDEX;
  const index = new Array<string | null>(columns.length);
  for (let i = 0; i < columns.length; i++) {
    const text = (columns[i] as (body: Json) => string | null)(body);
    if (text?.includes('\0')) {
      throw new Error(`a look-up column of row ${collection.name}/${id} holds the character NUL`);
    }
    index[i] = text;
  }
  return index;
}

/** The write that removes a row. */
export function removeRow(beside: RowCache, collection: RegisteredCollection, id: string): RowWrite {
  return {
    beside,
    collection,
    id,
    removed: true,
    body: null,
    sort: 0,
    index: NO_INDEX,
    open: false,
    expiresAt: null,
    held: null,
  };
}

/** A collection of the runtime itself. Its name begins with `$`, so that no kind can declare or write it. */
function collection(name: string): RegisteredCollection {
  const unused = { open: null, nextMax: 0, retentionMs: null, leaseRows: null, reported: null };
  return { name, sort: () => 0, index: [], ...unused, bodyBytes: 512 };
}

/**
 * The runtime's own records in ordinary rows of the actor, written in the actor's commits. Column 0 of each holds the
 * shard number, so that a new owner of the shard finds the open ones.
 */
export const systemCollections = {
  /** Messages to actors of other shards that are not acknowledged yet; id: the message's number. */
  outbox: collection('$outbox'),
  /** The inbox high-water mark: the highest number received from each sender; id: the sender's address. */
  inbox: collection('$inbox'),
  /** Activity records that have not ended; id: as the step named it. Open: resident with the actor. */
  activities: collection('$activities'),
  /** Dead letters, which wait for an operator, and deferred inputs. */
  deadLetters: collection('$dead-letters'),
  /** Recorded steps; id: the version (`recordId`). */
  steps: collection('$steps'),
  /** Until when an operator has the actor's steps recorded: one row, open so that it loads with the actor. */
  recording: collection('$recording'),
} as const;

/** The write of a row of a system collection. `sort` orders it within the collection. */
export function systemRow(
  at: { readonly beside: RowCache; readonly shard: number; readonly open: boolean; readonly sort: number },
  into: RegisteredCollection,
  id: string,
  body: Json,
): RowWrite {
  const { beside, shard, open, sort } = at;
  const index = [String(shard)];
  return { beside, collection: into, id, removed: false, body, sort, index, open, expiresAt: null, held: null };
}

/** A message to an actor of another shard, as an outbox row of its sender; it is sent once the row is durable. */
export function outboxRow({ rows, shard }: Cell, number: string, to: string, event: ActorEvent): RowWrite {
  const at = { beside: rows, shard: shard.id, open: false, sort: shard.epoch };
  return systemRow(at, systemCollections.outbox, number, { to, event });
}
