import { randomFillSync } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/** Bytes drawn from the operating system at a time: one call per id was 3 % of a request's CPU, each takes 4 us and more. */
const POOL_BYTES = 16_384;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** Every byte of the pool is handed out once, and wiped as it goes. */
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

/** Real chance, from the operating system. */
export const systemRandom: Random = {
  bytes,
  fraction: () => Buffer.from(bytes(6)).readUIntBE(0, 6) / 0x1000000000000,
};
