/** Adds a time-out per test, which uvu lacks: a hanging test fails with its title instead of blocking the run. */
type Registers = (title: string, run: () => Promise<void> | void) => void;

/** Ends a hanging test. Far above what any test needs, so that none depends on the speed of the machine. */
const HANGING_MS = 60_000;

/** `const it = bounded(test); it('does a thing', async () => {...});` Tests of minutes pass a limit of their own. */
export function bounded(test: Registers, timeoutMs = HANGING_MS): Registers {
  return (title, run) =>
    test(title, async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`"${title}" took longer than ${timeoutMs} ms`)), timeoutMs);
      });
      try {
        await Promise.race([Promise.resolve(run()), late]);
      } finally {
        clearTimeout(timer);
      }
    });
}
