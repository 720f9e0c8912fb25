/**
 * The number under which one hold of a generation is requested. Holds are ordered first by the attempt of the run that
 * requests them (1, 2 ..., a new one after the death of the last runner), then by their order within that run (1, 2 ...,
 * a new one when the turn moves to another endpoint). One number carries both, so that account, key and rows compare
 * attempts as plain integers: attempt 2001 is the first hold of the third run. A run that is never repeated counts
 * 1, 2 ..., which is what rows from before repeated runs hold.
 */

/** Holds that one run may request: more than a turn tries endpoints (16). */
export const HOLDS_PER_RUN_MAX = 1_000;

/** Both numbers count from 1. Throws a `RangeError` beyond the bound. */
export function holdAttempt(run: number, hold: number): number {
  if (!Number.isSafeInteger(run) || run < 1) throw new RangeError(`run attempt ${run} is no count from 1`);
  if (!Number.isSafeInteger(hold) || hold < 1 || hold >= HOLDS_PER_RUN_MAX) {
    throw new RangeError(`hold ${hold} of one run is outside 1 to ${HOLDS_PER_RUN_MAX - 1}`);
  }
  return (run - 1) * HOLDS_PER_RUN_MAX + hold;
}

/** True for the first hold that any run requests: no earlier one of the same generation can be on record. */
export function isFirstHold(attempt: number): boolean {
  return attempt <= 1;
}
