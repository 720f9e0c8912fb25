/** The activity rows of an actor, including the uncommitted writes of the running cascade. */

import { createHash } from 'node:crypto';
import type { Effect, Repeats } from '../effect.ts';
import { type ActivityRecord, failureText } from './activity-record.ts';
import type { Cell } from './cell.ts';
import type { RowWrite } from './row-cache.ts';
import { removeRow, systemCollections, systemRow } from './row-writes.ts';

const { activities } = systemCollections;

/** The largest distance of a deadline: the runner's process holds it with one timer. */
const DEADLINE_MS_MAX = 20 * 24 * 3_600_000;

/** True while the activity of this id has not ended. */
export function isOpen(cell: Cell, id: string, written: readonly RowWrite[]): boolean {
  const own = written.findLast((row) => row.beside === cell.rows && row.collection === activities && row.id === id);
  return (own ?? cell.rows.find(activities.name, id)?.latest)?.open ?? false;
}

/** The ids of all open activities. */
export function openActivities(cell: Cell, written: readonly RowWrite[]): readonly string[] {
  const ids = new Set([...cell.rows.open(activities.name)].map(({ id }) => id));
  for (const { beside, collection, id } of written) if (beside === cell.rows && collection === activities) ids.add(id);
  return [...ids].filter((id) => isOpen(cell, id, written));
}

/** The row of a new activity. */
export function openedActivity(
  cell: Cell,
  effect: Extract<Effect, { readonly type: 'perform' }>,
  by: { readonly number: string; readonly sort: number; readonly at: number; readonly self: string },
): RowWrite {
  const record = activityRecordOf(effect, { ...by, address: cell.address });
  const at = { beside: cell.rows, shard: cell.shard.id, open: true, sort: by.sort };
  return systemRow(at, activities, effect.id, record);
}

/** The row with a new record. */
export function rewrittenActivity(row: RowWrite, record: ActivityRecord): RowWrite {
  return { ...row, body: record, held: null };
}

/**
 * The write that removes an activity. It carries the durable record it removes, which names the runner to stop: a new
 * owner of the shard may not have read the rows of the previous one yet.
 */
export function cancelledActivity(cell: Cell, id: string): RowWrite {
  return { ...removeRow(cell.rows, activities, id), body: cell.rows.find(activities.name, id)?.latest.body ?? null };
}

/** The record of the activity that a step requests; `number` identifies the request among all requests of its actor. */
export function activityRecordOf(
  effect: Extract<Effect, { readonly type: 'perform' }>,
  by: { readonly address: string; readonly number: string; readonly at: number; readonly self: string },
): ActivityRecord {
  const { name, input, deadlineAt, repeats } = effect;
  if (!Number.isFinite(deadlineAt) || deadlineAt - by.at > DEADLINE_MS_MAX) {
    throw new Error(`activity ${effect.id} has no deadline within ${DEADLINE_MS_MAX} ms`);
  }
  const chain = repeats === undefined ? firstOf(by) : nextOf(effect.id, repeats);
  return {
    ...chain,
    name,
    input: input ?? null,
    runner: by.self,
    begun: false,
    deadlineAt,
    suspect: false,
    deaths: 0,
  };
}

type Chain = Pick<ActivityRecord, 'key' | 'attempt' | 'lastFailure'>;

function firstOf({ address, number }: { readonly address: string; readonly number: string }): Chain {
  const key = createHash('sha256').update(`${address} ${number}`).digest('base64url');
  return { key, attempt: 1, lastFailure: null };
}

/** The attempt after a failed one, under the same key, so that the external service recognises the repeat. */
function nextOf(id: string, { key, attempt, failure }: Repeats): Chain {
  const sound = typeof key === 'string' && key !== '' && Number.isInteger(attempt) && attempt >= 1;
  if (!sound || typeof failure?.code !== 'string')
    throw new Error(`activity ${id} repeats a value that is not a failed attempt`);
  return { key, attempt: attempt + 1, lastFailure: failureText(failure) };
}
