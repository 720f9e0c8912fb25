/** The rows of an actor's work in the world, as a cascade sees them: what it has written itself is newest. */

import type { ActivityRecord } from './activity-record.ts';
import { activityRecordOf } from './activity-record-of.ts';
import type { Cell } from './cell.ts';
import type { Effect } from './effect.ts';
import { removeRow } from './remove-row.ts';
import type { RowWrite } from './row-cache.ts';
import { systemCollections, systemRow } from './system-collections.ts';

const { intents } = systemCollections;

/** True when work of this id was begun and has not ended. */
export function isOpen(cell: Cell, id: string, written: readonly RowWrite[]): boolean {
  const own = written.findLast((row) => row.beside === cell.rows && row.collection === intents && row.id === id);
  return (own ?? cell.rows.find(intents.name, id)?.latest)?.open ?? false;
}

/** The ids of everything that is open. */
export function openActivities(cell: Cell, written: readonly RowWrite[]): readonly string[] {
  const ids = new Set([...cell.rows.open(intents.name)].map(({ id }) => id));
  for (const { beside, collection, id } of written) if (beside === cell.rows && collection === intents) ids.add(id);
  return [...ids].filter((id) => isOpen(cell, id, written));
}

/** The row that begins work. */
export function openedActivity(
  cell: Cell,
  effect: Extract<Effect, { readonly type: 'perform' }>,
  by: { readonly number: string; readonly sort: number; readonly at: number; readonly self: string },
): RowWrite {
  const record = activityRecordOf(effect, { ...by, address: cell.address });
  const at = { beside: cell.rows, shard: cell.shard.id, open: true, sort: by.sort };
  return systemRow(at, intents, effect.id, record);
}

/** The row of work, rewritten. */
export function rewrittenWork(row: RowWrite, record: ActivityRecord): RowWrite {
  return { ...row, body: record, held: null };
}

/** The write that ends it. */
export function cancelledActivity(cell: Cell, id: string): RowWrite {
  return removeRow(cell.rows, intents, id);
}
