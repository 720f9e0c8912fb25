import type { Json } from './event.ts';
import type { RegisteredCollection } from './registered-kind.ts';
import type { RowCache, RowWrite } from './row-cache.ts';

/** A collection that the runtime itself keeps beside an actor. No kind can declare or write one: `$` begins its name. */
function collection(name: string): RegisteredCollection {
  return { name, sort: () => 0, index: [], open: null, nextMax: 0, retentionMs: null, leaseRows: null, bodyBytes: 512 };
}

/**
 * What the runtime keeps in ordinary rows of the actor, written in the actor's own commits. Column 0 of each holds the
 * number of the shard, so that whoever adopts a shard finds what is open there.
 */
export const systemCollections = {
  /** Messages to actors of other shards that were not acknowledged yet; id: the message's number. */
  outbox: collection('$outbox'),
  /** Inbox high-water marks: the highest message number received from each sender; id: the sender's address. */
  heard: collection('$heard'),
  /** Work in the world that was asked for and has not ended; id: as the step named it. Open: resident with the actor. */
  intents: collection('$intents'),
  /** Inputs that failed for good and wait for an operator. */
  aside: collection('$aside'),
} as const;

/** The row as it shall stand. `sort` orders it among its like. */
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
