/** Adds a time-out per test, which uvu lacks: a hanging test fails with its title instead of blocking the run. */
import { limit, pace } from './pace.ts';

type Registers = (title: string, run: () => Promise<void> | void) => void;

/** Ends a hanging test. Far above what any test needs at pace 1, and a multiple of it where the machine is slower. */
const HANGING_MS = 60_000;

/** `const it = bounded(test); it('does a thing', async () => {...});` Tests of minutes pass a limit of their own. */
export function bounded(test: Registers, timeoutMs = HANGING_MS): Registers {
  return (title, run) =>
    test(title, async () => {
      let timer: NodeJS.Timeout | undefined;
      const leftMs = limit(timeoutMs);
      const late = new Promise<never>((_, reject) => {
        const check = (): void => {
          if (leftMs() > 0) timer = setTimeout(check, leftMs());
          else reject(new Error(`"${title}" took longer than ${timeoutMs} ms at pace ${pace().toFixed(1)}`));
        };
        check();
      });
      try {
        await Promise.race([Promise.resolve(run()), late]);
      } finally {
        clearTimeout(timer);
      }
    });
}
