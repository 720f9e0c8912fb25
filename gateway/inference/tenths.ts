/** Rounds recorded milliseconds to a tenth, so that a row does not carry fifteen digits of noise. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
