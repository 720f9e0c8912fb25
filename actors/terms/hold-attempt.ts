/**
 * The attempt number of a hold. Holds of one generation are ordered first by the run that requests them (1, 2 ...; a
 * new run starts after the death of the previous runner), then by their order within that run (1, 2 ...; a new hold is
 * requested when the turn moves to another endpoint). One integer encodes both, so account, key and rows compare
 * attempts as integers: attempt 2001 is the first hold of the third run. For a generation with one run the numbers are
 * 1, 2 ...
 */

/** Holds that one run can request: more than the endpoints that a turn tries (16). */
export const HOLDS_PER_RUN_MAX = 1_000;

/** Both numbers count from 1. Throws a `RangeError` beyond the bound. */
export function holdAttempt(run: number, hold: number): number {
  if (!Number.isSafeInteger(run) || run < 1)
    throw new RangeError(`run attempt ${run} must be an integer of at least 1`);
  if (!Number.isSafeInteger(hold) || hold < 1 || hold >= HOLDS_PER_RUN_MAX) {
    throw new RangeError(`hold ${hold} of one run is outside 1 to ${HOLDS_PER_RUN_MAX - 1}`);
  }
  return (run - 1) * HOLDS_PER_RUN_MAX + hold;
}

/** True for the first hold that any run requests: no earlier hold of the generation can be recorded. */
export function isFirstHold(attempt: number): boolean {
  return attempt <= 1;
}
