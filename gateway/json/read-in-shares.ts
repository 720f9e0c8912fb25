import { LOOP_TURN_BYTES, type LoopWork } from '../overload/loop-work.ts';
import { JsonReader, type JsonReaderOptions } from './json-reader.ts';

/**
 * A text with more structural tokens is read in the smallest windows: structure costs a hundred times as much as text.
 */
const DENSE_TOKENS = 16 * 1024;
/** The most that one socket read returns. */
const DENSE_WINDOW_BYTES = 64 * 1024;

interface SharedReading extends JsonReaderOptions {
  readonly loop: LoopWork;
  /** Structural tokens, as the scan counted them. */
  readonly tokens: number;
  /** Receives each piece before it is read; what it throws ends the reading. */
  readonly beforePiece?: (piece: Buffer) => void;
  /** Receives each chunk once it is read: its buffer is free. */
  readonly spent?: (chunk: Uint8Array) => void;
}

/** Reads a scanned JSON text in shares of the event loop, and returns its value. Rejects with GatewayError 400. */
export async function readInShares(
  chunks: readonly Uint8Array[],
  { loop, tokens, beforePiece, spent, ...options }: SharedReading,
): Promise<unknown> {
  const isDense = tokens > DENSE_TOKENS;
  const windowBytes = Math.min(loop.pieceBytesMax, isDense ? DENSE_WINDOW_BYTES : LOOP_TURN_BYTES);
  const reader = new JsonReader(options);
  let window: Buffer[] = [];
  /** Chunks whose last bytes are in the window. */
  let ending: Uint8Array[] = [];
  let bytes = 0;
  let length = 0;
  const read = async (): Promise<void> => {
    await loop.run(isDense ? LOOP_TURN_BYTES : bytes, () => {
      for (const piece of window) {
        beforePiece?.(piece);
        reader.feed(piece);
      }
    });
    if (spent !== undefined) for (const chunk of ending) spent(chunk);
    length += bytes;
    ending = [];
    window = [];
    bytes = 0;
  };
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + windowBytes - bytes);
      window.push(Buffer.from(part.buffer, part.byteOffset, part.length));
      at += part.length;
      bytes += part.length;
      if (at >= chunk.length) ending.push(chunk);
      if (bytes >= windowBytes) await read();
    }
  }
  await read();
  // The first use of the value, such as estimating its texts, gets a loop share of its own.
  return loop.run(length, () => reader.end());
}

/** The pieces as one buffer, without a copy where there is one piece. */
export function oneOf(chunks: readonly Uint8Array[]): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
