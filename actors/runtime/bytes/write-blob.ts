import { createSecretKey, type KeyObject } from 'node:crypto';
import { BlobTooLarge, type OpenBlob } from '../ports/blobs.ts';
import type { Random } from '../ports/random.ts';
import { rechunk } from './rechunk.ts';
import { segment } from './segment.ts';
import { withLast } from './with-last.ts';

const SECRET_BYTES = 32;

/** One blob on its way in, as an implementation of the port provides it. */
export interface BlobDraft {
  readonly id: string;
  /** Takes the next piece, `segment.pieceBytes` long unless it is the last; resolves when another may follow. */
  append(piece: Uint8Array): Promise<void>;
  /** Makes the blob durable, then visible. */
  finish(): Promise<void>;
  /** Removes what was written. Never rejects: what it cannot remove is swept. */
  discard(): Promise<void>;
}

export interface BlobWriting {
  readonly bytesMax: number;
  readonly random: Random;
}

/** Encrypts one source into one draft, piece by piece. The draft is discarded on any failure. */
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
