/**
 * The states before and after recorded steps, rebuilt from their records alone. A state is never guessed: where a
 * record is missing, the steps after it have no state until the next record that holds one.
 */
import type { Json } from '../event.ts';
import type { SavedState } from '../kind.ts';
import { patched } from './patch.ts';
import type { StepBody } from './step-record.ts';

/** A record with its version. */
export interface StoredStep {
  readonly version: number;
  readonly body: StepBody;
}

/** A step with the states around it. */
export interface RebuiltStep extends StoredStep {
  /** Null: the step created the actor. */
  readonly before: SavedState | null;
  readonly after: SavedState;
}

/** `steps` are ascending and without gaps among the records. Steps before the first whole state are left out. */
export function* rebuild(steps: Iterable<StoredStep>): Generator<RebuiltStep> {
  let last: SavedState | undefined;
  for (const step of steps) {
    const before = beforeOf(step.body, last);
    if (before === undefined) continue;
    const after = patched(before as unknown as Json, step.body.patch) as unknown as SavedState;
    yield { ...step, before, after };
    last = after;
  }
}

function beforeOf({ before, since }: StepBody, last: SavedState | undefined): SavedState | null | undefined {
  if (before !== undefined) return before;
  if (last === undefined || since === undefined) return last;
  return patched(last as unknown as Json, since) as unknown as SavedState;
}
