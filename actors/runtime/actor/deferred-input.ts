import type { Cell } from './cell.ts';
import type { ActorEvent, Json } from './event.ts';
import type { RowWrite } from './row-cache.ts';
import { systemCollections } from './system-collections.ts';

/** Inputs that wait beside their actor, in the collection where those that failed for good are set aside. */
export const DEAD_LETTERS = systemCollections.aside;

/**
 * Inputs that wait for one quarantined actor, those of its earlier owners included. Who sends one more is told that it
 * was not kept: a sender that repeats itself for days must not fill the store, nor the memory of whoever loads it.
 */
export const DEFERRED_MAX = 4_096;

/**
 * True for what cannot be refused by an actor that does not load: what ends something (`Kind.finishes`), as long as
 * there is room for it.
 */
export function mayBeDeferred({ kind, deferredStored: keptStored, rows }: Cell, type: string): boolean {
  return kind.finishes.has(type) && keptStored + rows.count(DEAD_LETTERS.name) < DEFERRED_MAX;
}

/**
 * What cannot be refused, kept as an input of its quarantined receiver: a message in the entry of its sender, an ask
 * (`from` is null) in one of its own. Open, so that it loads with the actor once that loads again; `id` is its number and
 * says the order within the shard. It is never given twice: a shard may be served again under the same epoch while rows
 * of before wait.
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

/** What waits beside an actor that has just been loaded, in its order. */
export function deferredInputs(cell: Cell): readonly { readonly id: string; readonly event: ActorEvent }[] {
  const rows = [...cell.rows.open(DEAD_LETTERS.name)];
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  return rows.map(({ id, body }) => ({ id, event: (body as unknown as { readonly event: ActorEvent }).event }));
}
