/** Chance as a port: ids, jitter, weighted choice. Only `system/random.ts` touches the real thing. */
export interface Random {
  bytes(length: number): Uint8Array;
  /** Uniform in [0, 1). */
  fraction(): number;
}
