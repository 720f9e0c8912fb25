import { createHash } from 'node:crypto';
import type { ActivityRecord } from './activity-record.ts';
import type { Effect } from './effect.ts';

const FAILURES_MAX = 3;
/** A deadline further away than this is refused: it is held by one timer of the runner's process. */
const DEADLINE_MS_MAX = 20 * 24 * 3_600_000;

/** The first attempt of what a step asks for; `number` names the asking among all of its actor, for ever. */
export function activityRecordOf(
  effect: Extract<Effect, { readonly type: 'perform' }>,
  by: { readonly address: string; readonly number: string; readonly at: number; readonly self: string },
): ActivityRecord {
  const { name, input, deadlineAt, failuresMax = FAILURES_MAX } = effect;
  if (!Number.isFinite(deadlineAt) || deadlineAt - by.at > DEADLINE_MS_MAX) {
    throw new Error(`work ${effect.id} has no deadline within ${DEADLINE_MS_MAX} ms`);
  }
  if (!Number.isInteger(failuresMax) || failuresMax < 1)
    throw new Error(`work ${effect.id}: failuresMax ${failuresMax}`);
  const key = createHash('sha256').update(`${by.address} ${by.number}`).digest('base64url');
  return {
    ...{ name, input: input ?? null, key, attempt: 1, runner: by.self, startAt: by.at, deadlineAt },
    ...{ failures: 0, failuresMax, suspect: false, alone: false, deaths: 0 },
  };
}
