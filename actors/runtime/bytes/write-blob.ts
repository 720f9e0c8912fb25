import { createHash } from 'node:crypto';
import { type BlobReference, BlobTooLarge } from '../ports/blobs.ts';
import { rechunk } from './rechunk.ts';

/** One blob on its way in, as an implementation of the port provides it. */
export interface BlobDraft {
  readonly id: string;
  /** Takes the next piece; resolves when another may follow. */
  append(piece: Uint8Array): Promise<void>;
  /** Makes the blob durable, then visible. */
  finish(bytes: number): Promise<void>;
  /** Removes what was written. Never rejects: what it cannot remove is swept. */
  discard(): Promise<void>;
}

export interface BlobWriting {
  readonly pieceBytes: number;
  readonly bytesMax: number;
}

/** Writes one source into one draft, piece by piece, and measures it on the way. The draft is discarded on any failure. */
export async function writeBlob(
  begin: () => Promise<BlobDraft>,
  source: AsyncIterable<Uint8Array>,
  { pieceBytes, bytesMax }: BlobWriting,
): Promise<BlobReference> {
  const draft = await begin();
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of rechunk(source, pieceBytes)) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new BlobTooLarge(bytesMax);
      hash.update(piece);
      await draft.append(piece);
    }
    await draft.finish(bytes);
    return { id: draft.id, bytes, sha256: hash.digest('hex') };
  } catch (error) {
    await draft.discard();
    throw error;
  }
}
