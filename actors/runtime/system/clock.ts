import type { Cancel, Clock } from '../ports/clock.ts';

/** The real clock. Only this file and `system/random.ts` touch time and chance. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs: number, run: () => void): Cancel {
    if (delayMs <= 0) {
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
