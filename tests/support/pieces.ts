/** Sources and sinks of bytes for tests. */
export const pieces = { of, random, gather, hex };

/** The given pieces, in order. */
async function* of(...given: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of given) yield piece;
}

/** `bytes` seeded pseudo-random bytes without repeats, in pieces of `size`. */
function random(bytes: number, seed = 1): Uint8Array {
  const out = new Uint8Array(bytes);
  let state = seed >>> 0 || 1;
  for (let i = 0; i < bytes; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    out[i] = state;
  }
  return out;
}

async function gather(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of source) found.push(piece);
  return Buffer.concat(found);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
