import { isUtf8 } from 'node:buffer';

const CUT_BYTES_MAX = 3;
const NONE = new Uint8Array(0);

/** Checks passing bytes for UTF-8 without decoding them: a decoder makes a text as long as the bytes. */
export class Utf8Reader {
  /** The beginning of a character whose rest is in the next piece. */
  #cut: Uint8Array = NONE;

  /** False once the bytes so far cannot be the beginning of a UTF-8 text. */
  read(piece: Uint8Array): boolean {
    const missing = this.#cut.length === 0 ? 0 : charBytes(this.#cut[0] as number) - this.#cut.length;
    if (missing > 0) {
      const character = Buffer.concat([this.#cut, piece.subarray(0, missing)]);
      this.#cut = piece.length < missing ? character : NONE;
      if (piece.length < missing) return true;
      if (!isUtf8(character)) return false;
    }
    const rest = piece.subarray(missing);
    const end = rest.length - cutBytes(rest);
    this.#cut = rest.slice(end);
    return isUtf8(rest.subarray(0, end));
  }

  /** False if the bytes end within a character. */
  end(): boolean {
    return this.#cut.length === 0;
  }
}

/** Length of the incomplete character at the end. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(CUT_BYTES_MAX, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (!continues(byte)) return charBytes(byte) > back ? back : 0;
  }
  return 0;
}

function continues(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

/** Length of the character that begins with this byte; of bytes that begin none, any length. */
function charBytes(lead: number): number {
  if (lead >= 0b1111_0000) return 4;
  if (lead >= 0b1110_0000) return 3;
  return lead >= 0b1100_0000 ? 2 : 1;
}
