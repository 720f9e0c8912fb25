import type { KeyObject } from 'node:crypto';
import type { Random } from '../ports/random.ts';
import { aead } from './aead.ts';

const PLAIN_BYTES = 64 * 1024;
const STORED_BYTES = PLAIN_BYTES + aead.addedBytes;
/** Segments written and read in one operation of a store. */
const PER_PIECE = 4;

/**
 * The layout of a stored blob: segments of 64 KiB, each an encryption of its own under the blob's secret, bound to its
 * position and to whether it is the last. All but the last are full, and an empty blob has one empty segment, so the
 * place of every byte follows from its offset, and any segment opens alone. Stores keep four segments as one piece.
 */
export const segment = {
  plainBytes: PLAIN_BYTES,
  storedBytes: STORED_BYTES,
  pieceBytes: PER_PIECE * STORED_BYTES,
  perPiece: PER_PIECE,
  /** How many segments a blob of so many bytes has. */
  count: (bytes: number): number => Math.max(1, Math.ceil(bytes / PLAIN_BYTES)),
  /** The first segment of the next piece. */
  pieceEnd: (position: number): number => position - (position % PER_PIECE) + PER_PIECE,
  close: (secret: KeyObject, plain: Uint8Array, place: SegmentPlace, random: Random): Buffer =>
    aead.close(secret, plain, bound(place), random),
  /** @throws SealBroken unless these are the bytes that `close` made for this place. */
  open: (secret: KeyObject, stored: Uint8Array, place: SegmentPlace): Buffer => aead.open(secret, stored, bound(place)),
};

export interface SegmentPlace {
  readonly position: number;
  readonly last: boolean;
}

/** The secret belongs to one blob alone, so position and end are all that a segment can be mistaken in. */
function bound({ position, last }: SegmentPlace): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(position);
  bytes.writeUInt8(last ? 1 : 0, 4);
  return bytes;
}
