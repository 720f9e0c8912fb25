import { createHash } from 'node:crypto';
import { type ActivityRecord, failureText, type Repeats } from './activity-record.ts';
import type { Effect } from './effect.ts';

/** A deadline further away than this is refused: it is held by one timer of the runner's process. */
const DEADLINE_MS_MAX = 20 * 24 * 3_600_000;

/** The next attempt of what a step asks for; `number` names the asking among all of its actor, for ever. */
export function activityRecordOf(
  effect: Extract<Effect, { readonly type: 'perform' }>,
  by: { readonly address: string; readonly number: string; readonly at: number; readonly self: string },
): ActivityRecord {
  const { name, input, deadlineAt, repeats } = effect;
  if (!Number.isFinite(deadlineAt) || deadlineAt - by.at > DEADLINE_MS_MAX) {
    throw new Error(`work ${effect.id} has no deadline within ${DEADLINE_MS_MAX} ms`);
  }
  const chain = repeats === undefined ? firstOf(by) : nextOf(effect.id, repeats);
  return {
    ...{ name, input: input ?? null, ...chain, runner: by.self, begun: false, deadlineAt },
    ...{ suspect: false, deaths: 0 },
  };
}

type Chain = Pick<ActivityRecord, 'key' | 'attempt' | 'lastFailure'>;

function firstOf({ address, number }: { readonly address: string; readonly number: string }): Chain {
  const key = createHash('sha256').update(`${address} ${number}`).digest('base64url');
  return { key, attempt: 1, lastFailure: null };
}

/** The attempt after one that failed: under the same key, so that the outside recognises the repeat. */
function nextOf(id: string, { key, attempt, failure }: Repeats): Chain {
  const sound = typeof key === 'string' && key !== '' && Number.isInteger(attempt) && attempt >= 1;
  if (!sound || typeof failure?.code !== 'string') throw new Error(`work ${id} repeats what is no failed attempt`);
  return { key, attempt: attempt + 1, lastFailure: failureText(failure) };
}
