/**
 * Reads the duration of speech from its bytes. A provider may send any bytes: the parser receives them in small pieces,
 * yields to the event loop between them, and is aborted after a bounded time.
 */
import type { Clock } from '../../actors/runtime/index.ts';
import { decimalText } from './decimal-text.ts';

/** A hostile piece costs the parser up to 33 us a byte (measured on 4 MB of 0xff: 23 s in one piece). */
const PIECE_BYTES = 1_024;
const WORK_MS_MAX = 4;
const READING_MS_MAX = 2_000;
const MICRO_DIGITS = 6;
const MICRO = 1_000_000;
const ID3_HEADER_BYTES = 10;

/** Exact decimal text, to the microsecond; null when the duration is unknown. Never rejects. */
export async function speechSeconds(bytes: Uint8Array, clock: Clock): Promise<string | null> {
  if (!isSpeech(bytes)) return null;
  try {
    // Loaded with the first speech: its parsers take 0.08 s of CPU time at the start of a node.
    const { parseWebStream } = await import('music-metadata');
    const options = { duration: true, skipCovers: true, skipPostHeaders: true };
    const { format } = await parseWebStream(inPieces(bytes, clock), { size: bytes.length }, options);
    const micros = Math.round((format.duration ?? 0) * MICRO);
    return Number.isSafeInteger(micros) && micros > 0 ? decimalText(micros, MICRO_DIGITS) : null;
  } catch {
    return null;
  }
}

/** True for the first bytes of a speech format that can be requested: no other parser runs on a provider's bytes. */
function isSpeech(bytes: Uint8Array): boolean {
  const name = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  if (name === 'RIFF' || name === 'fLaC' || name === 'OggS') return true;
  // A leading tag states its own length, and the parser would allocate that much at once.
  if (name.startsWith('ID3')) return ID3_HEADER_BYTES + tagBytes(bytes) < bytes.length;
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
}

/** Decodes the tag size: four times seven bits. */
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
        if (now - begun > READING_MS_MAX) throw new Error('the speech takes too long to parse');
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
