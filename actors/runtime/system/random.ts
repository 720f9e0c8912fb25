import { randomBytes } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/** Real chance, from the operating system. */
export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 0x1000000000000,
};
