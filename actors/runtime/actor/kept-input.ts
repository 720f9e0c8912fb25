import { ownerHash } from './address.ts';
import type { Cell } from './cell.ts';
import type { ActorEvent, Json } from './event.ts';
import type { RowWrite } from './held-rows.ts';
import { systemCollections } from './system-collections.ts';

/** Inputs that wait beside their actor, in the collection where those that failed too often are set aside. */
export const ASIDE = systemCollections.aside;

const DIGITS = 10;

/**
 * A message that cannot be refused, kept as an input of its quarantined receiver in the entry of its sender. Open, so
 * that it loads with the actor once that loads again; the id says the order within the shard.
 */
export function keptInput(to: Cell, from: string, event: ActorEvent, at: number): RowWrite {
  const { home, rows: beside } = to;
  const place = [home.epoch, ++home.kept].map((number) => String(number).padStart(DIGITS, '0')).join('.');
  const id = `${place}.${ownerHash(from).toString(36)}`;
  const failure = `${to.address} was quarantined`;
  const body = { source: 'message', from, event, failure, times: 0, at } as unknown as Json;
  const index = [String(home.shard)];
  return {
    ...{ beside, collection: ASIDE, id, removed: false, body, sort: at, index },
    ...{ open: true, expiresAt: null, held: null },
  };
}

/** What waits beside an actor that has just been loaded, in its order. */
export function keptInputs(cell: Cell): readonly { readonly id: string; readonly event: ActorEvent }[] {
  const rows = [...cell.rows.open(ASIDE.name)];
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  return rows.map(({ id, body }) => ({ id, event: (body as unknown as { readonly event: ActorEvent }).event }));
}
