import { limit } from './pace.ts';

const STEP_MS = 50;
/** Ends a hanging test only. */
const LIMIT_MS = 60_000;

/** Repeats `check` until it does not throw. After the limit, its last error is thrown. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const leftMs = limit(LIMIT_MS);
  for (;;) {
    try {
      return await check();
    } catch (thrown) {
      if (leftMs() === 0) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
  }
}
