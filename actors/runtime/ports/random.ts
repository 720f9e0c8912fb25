/**
 * Randomness as a port: ids, jitter, weighted choice. Only `system/random.ts` and the seeded generators of the tests
 * implement it.
 */
export interface Random {
  bytes(length: number): Uint8Array;
  /** Uniform in [0, 1). */
  fraction(): number;
}
