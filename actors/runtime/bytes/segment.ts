import type { KeyObject } from 'node:crypto';
import type { Random } from '../ports/clock.ts';
import { aead } from './aead.ts';

const PLAIN_BYTES = 64 * 1024;
const STORED_BYTES = PLAIN_BYTES + aead.addedBytes;
/** Segments that a store writes or reads in one operation. */
const PER_PIECE = 4;

/**
 * The layout of a stored blob: segments of 64 KiB, each encrypted by itself under the blob's secret and bound to its
 * position and to whether it is the last. All but the last are full, and an empty blob has one empty segment, so the
 * offset of a byte gives its segment, and any segment opens alone. Stores write and read four segments as one piece.
 */
export const segment = {
  plainBytes: PLAIN_BYTES,
  storedBytes: STORED_BYTES,
  pieceBytes: PER_PIECE * STORED_BYTES,
  perPiece: PER_PIECE,
  /** Number of segments of a blob of `bytes` plain bytes. */
  count: (bytes: number): number => Math.max(1, Math.ceil(bytes / PLAIN_BYTES)),
  /** Position of the first segment of the next piece. */
  pieceEnd: (position: number): number => position - (position % PER_PIECE) + PER_PIECE,
  /** Encrypts into the beginning of `target`; returns the number of bytes written. */
  closeInto: (target: Uint8Array, secret: KeyObject, plain: Uint8Array, place: SegmentPlace, random: Random): number =>
    aead.closeInto(target, secret, plain, bound(place), random),
  /** @throws SealBroken unless `closeInto` made these bytes for this place. */
  open: (secret: KeyObject, stored: Uint8Array, place: SegmentPlace): Buffer => aead.open(secret, stored, bound(place)),
};

interface SegmentPlace {
  readonly position: number;
  readonly last: boolean;
}

/** The secret is unique to the blob, so binding position and end is enough. */
function bound({ position, last }: SegmentPlace): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(position);
  bytes.writeUInt8(last ? 1 : 0, 4);
  return bytes;
}

const TIME_DIGITS = 12;
const RANDOM_BYTES = 12;
const SHAPE = /^[0-9a-f]{36}$/;

/**
 * Blob ids: twelve hex digits of the time at which the write began, then 96 random bits. Ascending ids are ascending
 * ages, so a sweep reads a blob's age from its id. Every id is safe as a file name.
 */
export const blobId = {
  make: (now: number, random: Random): string => firstAt(now) + Buffer.from(random.bytes(RANDOM_BYTES)).toString('hex'),
  isOne: (text: string): boolean => SHAPE.test(text),
  madeAt: (id: string): number => Number.parseInt(id.slice(0, TIME_DIGITS), 16),
  /** The smallest id of this time: every id made at or after it compares greater or equal. */
  firstAt,
};

function firstAt(ms: number): string {
  return Math.max(0, Math.floor(ms)).toString(16).padStart(TIME_DIGITS, '0');
}
