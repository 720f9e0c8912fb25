/**
 * The same bytes in pieces of exactly `size`, the last one shorter and never empty. Holds at most one piece beside the
 * one it was given, whatever the source's own pieces are, and asks for no more before its piece is taken. A piece is its
 * taker's to keep.
 */
export async function* rechunk(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(size);
  let filled = 0;
  for await (const given of source) {
    let taken = 0;
    while (taken < given.length) {
      const part = given.subarray(taken, taken + size - filled);
      piece.set(part, filled);
      filled += part.length;
      taken += part.length;
      if (filled < size) continue;
      yield piece;
      piece = new Uint8Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
