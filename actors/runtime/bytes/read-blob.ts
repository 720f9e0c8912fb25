import { createHash } from 'node:crypto';
import { BlobCorrupt, type BlobReference } from '../ports/blobs.ts';

/**
 * Passes stored pieces on and holds the last one back until the whole has proved to be what the reference says, so that
 * damaged bytes never look complete. Throws BlobCorrupt.
 */
export async function* readBlob(
  pieces: AsyncIterable<Uint8Array>,
  { id, bytes, sha256 }: BlobReference,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let held: Uint8Array | null = null;
  let read = 0;
  for await (const piece of pieces) {
    read += piece.length;
    if (read > bytes) throw new BlobCorrupt(id, `it has more than its ${bytes} bytes`);
    hash.update(piece);
    if (held) yield held;
    held = piece;
  }
  if (read < bytes) throw new BlobCorrupt(id, `it has ${read} of its ${bytes} bytes`);
  if (hash.digest('hex') !== sha256) throw new BlobCorrupt(id, 'its checksum differs');
  if (held) yield held;
}
