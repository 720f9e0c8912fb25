const GROUP_BYTES = 3;
const GROUP_CHARACTERS = 4;

/** Characters of the base64 of that many bytes. */
export function base64Characters(bytes: number): number {
  return Math.ceil(bytes / GROUP_BYTES) * GROUP_CHARACTERS;
}

/** The base64 of passing bytes, piece by piece: whole groups of three, what is left over waits for the next piece. */
export async function* base64Of(source: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of source) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % GROUP_BYTES);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}
