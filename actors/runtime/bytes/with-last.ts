/** Each piece with whether it is the last. Holds one piece back; an empty source gives one empty piece. */
export async function* withLast(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly piece: Uint8Array; readonly last: boolean }> {
  let held: Uint8Array | null = null;
  for await (const piece of pieces) {
    if (held) yield { piece: held, last: false };
    held = piece;
  }
  yield { piece: held ?? new Uint8Array(0), last: true };
}
