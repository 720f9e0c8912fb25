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
 * Destroys expired sealing keys. Keys expire at the turn of an hour: the task runs then, and in between to retry failures
 * and to catch up after the clock was set. Every node runs it, because destruction must not wait for an election, and
 * destroying a key twice is harmless.
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
