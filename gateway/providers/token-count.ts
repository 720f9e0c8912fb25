/** No reply has more tokens than this; a larger figure is noise. */
const TOKENS_MAX = 100_000_000;

/** The count a provider reported, or undefined: one that is negative, a fraction, text or huge is unreported. */
export function tokenCount(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

/** True for what stands where a count should and is none: any sum it belongs to is unknown. */
export function isBrokenCount(value: unknown): boolean {
  return value != null && !isCount(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= TOKENS_MAX;
}
