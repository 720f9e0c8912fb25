/**
 * How long a piece of speech lasts, read from its bytes. They are a provider's and may be anything: the reader gets them
 * in small pieces, stands back between them so that the loop goes on, and is given up after a bounded time.
 */
import { parseWebStream } from 'music-metadata';
import type { Clock } from '../../actors/runtime/index.ts';
import { decimalText } from './decimal-text.ts';

/** A hostile piece costs the reader up to 33 us a byte (measured on 4 MB of 0xff: 23 s in one piece). */
const PIECE_BYTES = 1_024;
const WORK_MS_MAX = 4;
const READING_MS_MAX = 2_000;
const MICRO_DIGITS = 6;
const MICRO = 1_000_000;
const ID3_HEADER_BYTES = 10;

/** Exact decimal text, to the microsecond; null when nobody can tell. Never rejects. */
export async function speechSeconds(bytes: Uint8Array, clock: Clock): Promise<string | null> {
  if (!isSpeech(bytes)) return null;
  try {
    const options = { duration: true, skipCovers: true, skipPostHeaders: true };
    const { format } = await parseWebStream(inPieces(bytes, clock), { size: bytes.length }, options);
    const micros = Math.round((format.duration ?? 0) * MICRO);
    return Number.isSafeInteger(micros) && micros > 0 ? decimalText(micros, MICRO_DIGITS) : null;
  } catch {
    return null;
  }
}

/** True for the beginning of a format that speech can be asked in: no other reader is let near a provider's bytes. */
function isSpeech(bytes: Uint8Array): boolean {
  const name = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (name === 'RIFF' || name === 'fLaC' || name === 'OggS') return true;
  // A tag in front claims its own length, which the reader would set aside at once.
  if (name.startsWith('ID3')) return ID3_HEADER_BYTES + tagBytes(bytes) < bytes.length;
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
}

/** Four times seven bits. */
function tagBytes(bytes: Uint8Array): number {
  return bytes.subarray(6, ID3_HEADER_BYTES).reduce((size, byte) => size * 128 + (byte & 0x7f), 0);
}

function inPieces(bytes: Uint8Array, clock: Clock): ReadableStream<Uint8Array<ArrayBufferLike>> {
  const begun = clock.monotonic();
  let resumed = begun;
  let at = 0;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const now = clock.monotonic();
        if (now - begun > READING_MS_MAX) throw new Error('the speech takes too long to read');
        if (now - resumed > WORK_MS_MAX) {
          await new Promise<void>((resolve) => clock.after(0, resolve));
          resumed = clock.monotonic();
        }
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.slice(at, at + PIECE_BYTES));
        at += PIECE_BYTES;
      },
    },
    { highWaterMark: 0 },
  );
}
