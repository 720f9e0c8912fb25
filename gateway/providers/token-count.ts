/** The largest plausible count of one reply; a larger one is unreported. */
const TOKENS_MAX = 100_000_000;

/** The reported count, or undefined for one that is absent, negative, a fraction, text or above the maximum. */
export function tokenCount(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

/** True for a value that is present and invalid: any sum that includes it is unknown. */
export function isBrokenCount(value: unknown): boolean {
  return value != null && !isCount(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= TOKENS_MAX;
}
