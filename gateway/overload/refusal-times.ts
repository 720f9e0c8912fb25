/** Upper bounds in ms of the time from the head of a request to its refusal; the last class has none. */
export const REFUSED_WITHIN_MS = [1, 5, 10, 25, 50, 100, 250, 1_000] as const;

/** How many refusals took how long: one count for each bound, and one for all that took longer. */
export class RefusalTimes {
  readonly counts: number[] = new Array<number>(REFUSED_WITHIN_MS.length + 1).fill(0);
  totalMs = 0;

  add(tookMs: number): void {
    const at = REFUSED_WITHIN_MS.findIndex((boundMs) => tookMs <= boundMs);
    const place = at < 0 ? REFUSED_WITHIN_MS.length : at;
    this.counts[place] = (this.counts[place] as number) + 1;
    this.totalMs += tookMs;
  }
}
