import type { LoopWork } from '../overload/loop-work.ts';

/** A part of a JSON text: characters, or bytes that are handed on as they are. */
export type JsonPart = string | Buffer;

/** A shorter text is encoded in one go: it fits the share of any turn. */
const SHORT_LENGTH_MAX = 64 * 1024;

/** The bytes of a text, or nearly: a character counts as one byte. */
export function lengthOf(parts: readonly JsonPart[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/**
 * The bytes of a JSON text, encoded in shares of the event loop. Ends early, with what there is by then, once `isNeeded`
 * is false.
 */
export async function writeInShares(
  parts: readonly JsonPart[],
  loop: LoopWork,
  isNeeded: () => boolean = () => true,
): Promise<Buffer[]> {
  const isShort = lengthOf(parts) <= SHORT_LENGTH_MAX;
  const blocks: Buffer[] = [];
  for (const part of parts) {
    if (isShort || typeof part !== 'string') {
      blocks.push(typeof part === 'string' ? Buffer.from(part) : part);
      continue;
    }
    for (let at = 0, end = 0; at < part.length && isNeeded(); at = end) {
      const from = at;
      end = pieceEnd(part, at, loop.pieceBytesMax);
      await loop.run(end - at, () => blocks.push(Buffer.from(part.slice(from, end))));
    }
  }
  return blocks;
}

/** The end of the piece of a text that begins at `at`; a pair of surrogates stays together. */
function pieceEnd(text: string, at: number, characters: number): number {
  const end = Math.min(text.length, at + characters);
  return end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}
