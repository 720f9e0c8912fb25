import type { Cell } from './cell.ts';
import type { ActorEvent, Json } from './event.ts';
import type { RowWrite } from './row-cache.ts';
import { systemCollections } from './system-collections.ts';

/** The collection of deferred inputs. Dead letters are in it too. */
export const DEAD_LETTERS = systemCollections.deadLetters;

/**
 * Deferred inputs per quarantined actor, including those of earlier owners. At the bound the sender receives a failure:
 * a sender that repeats itself for days must not fill the store, nor the memory of the node that loads the actor.
 */
export const DEFERRED_MAX = 4_096;

/**
 * True for events that end something (`Kind.finishes`), as long as the actor's bound allows one more: a quarantined
 * actor must not refuse those.
 */
export function mayBeDeferred({ kind, deferredStored, rows }: Cell, type: string): boolean {
  return kind.finishes.has(type) && deferredStored + rows.count(DEAD_LETTERS.name) < DEFERRED_MAX;
}

/**
 * The row of an input deferred beside its quarantined receiver: a message is written in the entry of its sender, an ask
 * (`from` is null) in its own. The row is open, so that it loads with the actor; `id` is its sequence number and gives
 * the order within the shard. Ids are never reused, because a shard may be served again under the same epoch while
 * older rows wait.
 */
export function deferredInput(to: Cell, id: string, from: string | null, event: ActorEvent, at: number): RowWrite {
  const { shard, rows: beside } = to;
  const failure = `${to.address} was quarantined`;
  const source = from === null ? 'ask' : 'message';
  const body = { source, from, event, failure, times: 0, at } as unknown as Json;
  const index = [String(shard.id)];
  return {
    ...{ beside, collection: DEAD_LETTERS, id, removed: false, body, sort: at, index },
    ...{ open: true, expiresAt: null, held: null },
  };
}

/** The deferred inputs of an actor that has just been loaded, in order. */
export function deferredInputs(cell: Cell): readonly { readonly id: string; readonly event: ActorEvent }[] {
  const rows = [...cell.rows.open(DEAD_LETTERS.name)];
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  return rows.map(({ id, body }) => ({ id, event: (body as unknown as { readonly event: ActorEvent }).event }));
}
