import { type Clock, LOOP_TURN_BYTES, loopShare } from '../../actors/runtime/index.ts';
import { JsonReader } from './json-reader.ts';
import type { KeptTexts } from './json-sinks.ts';

/**
 * A text with more structural tokens is read in the smallest windows: structure costs a hundred times as much as text.
 */
const DENSE_TOKENS = 16 * 1024;
/** The most that one socket read returns. */
const DENSE_WINDOW_BYTES = 64 * 1024;

export interface SharedReading {
  readonly clock: Clock;
  /** Structural tokens, as the scan counted them. */
  readonly tokens: number;
  readonly texts?: KeptTexts | undefined;
  /** Accepts what the native parser accepts. */
  readonly isLenient?: boolean;
  /** Receives each piece before it is read; what it throws ends the reading. */
  readonly beforePiece?: (piece: Buffer) => void;
}

/** Reads a scanned JSON text in shares of the event loop, and returns its value. Rejects with GatewayError 400. */
export async function readInShares(
  chunks: readonly Uint8Array[],
  { clock, tokens, texts, isLenient, beforePiece }: SharedReading,
): Promise<unknown> {
  const isDense = tokens > DENSE_TOKENS;
  const windowBytes = isDense ? DENSE_WINDOW_BYTES : LOOP_TURN_BYTES;
  const reader = new JsonReader(texts, isLenient);
  let window: Uint8Array[] = [];
  let bytes = 0;
  let length = 0;
  const read = async (): Promise<void> => {
    await loopShare(clock, isDense ? LOOP_TURN_BYTES : bytes);
    const piece = oneOf(window);
    beforePiece?.(piece);
    reader.feed(piece);
    length += bytes;
    window = [];
    bytes = 0;
  };
  for (const chunk of chunks) {
    window.push(chunk);
    bytes += chunk.length;
    if (bytes >= windowBytes) await read();
  }
  await read();
  // The first use of the value, such as estimating its texts, gets a loop share of its own.
  await loopShare(clock, length);
  return reader.end();
}

/** The pieces as one buffer, without a copy where there is one piece. */
export function oneOf(chunks: readonly Uint8Array[]): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
