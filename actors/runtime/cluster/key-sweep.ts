import { keyHour } from '../bytes/key-hour.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Log } from './log.ts';
import { PeriodicTask } from './periodic-task.ts';

export interface KeySweepParts {
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly limits: { readonly sweepMs: number };
  readonly log: Log;
}

/**
 * Destroys sealing keys when their time is over, which is always at the turn of an hour: it looks then, and in between
 * for what failed or what a set clock passed. Every node does it, because a promise to forget must not wait for an
 * election, and destroying twice harms nothing.
 */
export function keySweep({ keys, clock, limits, log }: KeySweepParts): PeriodicTask {
  return new PeriodicTask({
    ...{ name: 'key sweep', clock, log },
    everyMs: () => Math.min(limits.sweepMs, keyHour.ms - (clock.now() % keyHour.ms)),
    run: async () => {
      const { destroyed, kept } = await keys.sweep();
      if (destroyed > 0) log({ level: 'info', message: 'sealing keys destroyed', destroyed, kept });
    },
  });
}
