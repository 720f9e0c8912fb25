/** The rows of an actor's work in the world, as a cascade sees them: what it has written itself is newest. */
import type { Cell } from './cell.ts';
import type { Effect } from './effect.ts';
import type { RowWrite } from './held-rows.ts';
import { intentOf } from './intent-of.ts';
import { removeRow } from './remove-row.ts';
import { systemCollections, systemRow } from './system-collections.ts';

const { intents } = systemCollections;

/** True when work of this id was begun and has not ended. */
export function isOpen(cell: Cell, id: string, written: readonly RowWrite[]): boolean {
  const own = written.findLast((row) => row.beside === cell.rows && row.collection === intents && row.id === id);
  return (own ?? cell.rows.find(intents.name, id)?.latest)?.open ?? false;
}

/** The ids of everything that is open. */
export function openWork(cell: Cell, written: readonly RowWrite[]): readonly string[] {
  const ids = new Set([...cell.rows.open(intents.name)].map(({ id }) => id));
  for (const { beside, collection, id } of written) if (beside === cell.rows && collection === intents) ids.add(id);
  return [...ids].filter((id) => isOpen(cell, id, written));
}

/** The row that begins work. */
export function openedWork(
  cell: Cell,
  effect: Extract<Effect, { readonly type: 'perform' }>,
  by: { readonly number: string; readonly sort: number; readonly at: number; readonly self: string },
): RowWrite {
  const intent = intentOf(effect, { ...by, address: cell.address });
  const at = { beside: cell.rows, shard: cell.home.shard, open: true, sort: by.sort };
  return systemRow(at, intents, effect.id, intent);
}

/** The write that ends it. */
export function cancelledWork(cell: Cell, id: string): RowWrite {
  return removeRow(cell.rows, intents, id);
}
