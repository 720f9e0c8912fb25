/** Adds a time-out per test, which uvu lacks: a hanging test fails with its title instead of blocking the run. */
type Registers = (title: string, run: () => Promise<void> | void) => void;

/** `const it = bounded(test, 5_000); it('does a thing', async () => {...});` */
export function bounded(test: Registers, timeoutMs: number): Registers {
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
