import type { Json } from './event.ts';
import type { RegisteredCollection } from './registered-kind.ts';
import type { RowCache, RowWrite } from './row-cache.ts';

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
