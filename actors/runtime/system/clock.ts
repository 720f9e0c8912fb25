import { randomFillSync } from 'node:crypto';
import type { Cancel, Clock, Random } from '../ports/clock.ts';

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

/**
 * Bytes drawn from the operating system at a time: one call per id took 3 % of a request's CPU, at 4 us or more per
 * call.
 */
const POOL_BYTES = 16_384;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** Returns every byte of the pool once, and wipes it from the pool. */
function bytes(length: number): Uint8Array {
  if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
  if (used + length > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    taken[i] = pool[used] as number;
    pool[used++] = 0;
  }
  return taken;
}

/** Real randomness, from the operating system. */
export const systemRandom: Random = {
  bytes,
  fraction: () => Buffer.from(bytes(6)).readUIntBE(0, 6) / 0x1000000000000,
};
