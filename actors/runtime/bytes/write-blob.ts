import { createSecretKey, type KeyObject } from 'node:crypto';
import { BlobTooLarge, type OpenBlob } from '../ports/blobs.ts';
import type { Random } from '../ports/random.ts';
import { segment } from './segment.ts';

const SECRET_BYTES = 32;

/** One blob being written, provided by an implementation of the port. */
export interface BlobDraft {
  readonly id: string;
  /** Appends the next piece, `segment.pieceBytes` long unless it is the last; resolves when another may follow. */
  append(piece: Uint8Array): Promise<void>;
  /** Makes the blob durable, then visible. */
  finish(): Promise<void>;
  /** Removes what was written. Never rejects: the sweep removes what `discard` cannot. */
  discard(): Promise<void>;
}

export interface BlobWriting {
  readonly bytesMax: number;
  readonly random: Random;
}

/** Encrypts one source into one draft, piece by piece. Discards the draft on any failure. */
export async function writeBlob(
  begin: () => Promise<BlobDraft>,
  source: AsyncIterable<Uint8Array>,
  { bytesMax, random }: BlobWriting,
): Promise<OpenBlob> {
  const draft = await begin();
  try {
    const secret = newSecret(random);
    let bytes = 0;
    let position = 0;
    let piece: Buffer[] = [];
    for await (const { piece: plain, last } of withLast(rechunk(source, segment.plainBytes))) {
      bytes += plain.length;
      if (bytes > bytesMax) throw new BlobTooLarge(bytesMax);
      piece.push(segment.close(secret, plain, { position: position++, last }, random));
      if (piece.length < segment.perPiece && !last) continue;
      await draft.append(Buffer.concat(piece));
      piece = [];
    }
    await draft.finish();
    return { id: draft.id, bytes, secret };
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

function newSecret(random: Random): KeyObject {
  const bytes = random.bytes(SECRET_BYTES);
  const secret = createSecretKey(bytes);
  bytes.fill(0);
  return secret;
}

/**
 * Yields the same bytes in pieces of exactly `size`; the last one is shorter and never empty. Holds at most one piece
 * beside the source's own, and pulls no more before its piece is consumed. The consumer owns the piece.
 */
async function* rechunk(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
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

/** Yields each piece with whether it is the last. Holds one piece back; an empty source yields one empty piece. */
async function* withLast(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly piece: Uint8Array; readonly last: boolean }> {
  let held: Uint8Array | null = null;
  for await (const piece of pieces) {
    if (held) yield { piece: held, last: false };
    held = piece;
  }
  yield { piece: held ?? new Uint8Array(0), last: true };
}
