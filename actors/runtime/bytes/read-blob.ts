import { BlobCorrupt, BlobRangeError, type ByteRange, type OpenBlob } from '../ports/blobs.ts';
import { SealBroken } from './aead.ts';
import { segment } from './segment.ts';

/** The stored bytes of one blob, provided by an implementation of the port. */
export interface StoredBlob {
  /** Number of stored bytes. */
  readonly bytes: number;
  /** Stored bytes from `at` on, in one piece, valid until the next read; fewer than requested only at the end. */
  read(at: number, bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Checks the range, then reads; see `Blobs.read`. Throws BlobRangeError. */
export function readBlob(
  open: (id: string) => Promise<StoredBlob>,
  blob: OpenBlob,
  range: ByteRange = { from: 0, to: blob.bytes },
): AsyncGenerator<Uint8Array> {
  const { from, to } = range;
  const ordered = 0 <= from && from <= to && to <= blob.bytes;
  if (!ordered || !Number.isInteger(from) || !Number.isInteger(to)) throw new BlobRangeError(range, blob.bytes);
  return readRange(open, blob, range);
}

async function* readRange(
  open: (id: string) => Promise<StoredBlob>,
  blob: OpenBlob,
  { from, to }: ByteRange,
): AsyncGenerator<Uint8Array> {
  const stored = await open(blob.id);
  try {
    const count = segment.count(blob.bytes);
    requireLength(blob, stored.bytes, count);
    const first = Math.min(Math.floor(from / segment.plainBytes), count - 1);
    const end = Math.max(Math.ceil(to / segment.plainBytes), first + 1);
    for (let position = first; position < end; ) {
      const pieceEnd = Math.min(segment.pieceEnd(position), end);
      const bytes = await stored.read(position * segment.storedBytes, (pieceEnd - position) * segment.storedBytes);
      for (let at = 0; position < pieceEnd; position++, at += segment.storedBytes) {
        const plain = openSegment(blob, bytes.subarray(at, at + segment.storedBytes), position, count);
        const start = position * segment.plainBytes;
        const wanted = plain.subarray(Math.max(0, from - start), to - start);
        if (wanted.length > 0) yield wanted;
      }
    }
  } finally {
    await stored.close();
  }
}

/** Detects a truncated or extended blob before any byte is read. */
function requireLength({ id, bytes }: OpenBlob, stored: number, segments: number): void {
  const expected = bytes + segments * (segment.storedBytes - segment.plainBytes);
  if (stored !== expected) throw new BlobCorrupt(id, `${stored} bytes are stored instead of ${expected}`);
}

function openSegment({ id, secret }: OpenBlob, stored: Uint8Array, position: number, count: number): Buffer {
  try {
    return segment.open(secret, stored, { position, last: position === count - 1 });
  } catch (error) {
    if (error instanceof SealBroken) throw new BlobCorrupt(id, `segment ${position} of ${count} does not open`);
    throw error;
  }
}
