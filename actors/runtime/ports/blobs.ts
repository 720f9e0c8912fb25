/**
 * Large bytes beside the store: written once, immutable, read as a stream, whole or by range. A blob is put first, a
 * commit then carries its sealed reference, and the sweep removes blobs that no row refers to. A blob never travels in
 * a message between nodes: every node reads the same place (one folder in the embedded size, one PostgreSQL in the
 * clustered size), and messages carry the reference.
 *
 * A blob is stored as segments of 64 KiB, each encrypted under the blob's own secret and bound to its position and to
 * whether it is the last. That encryption is the only integrity check: a range is verified by the segments it touches.
 */
import type { KeyObject } from 'node:crypto';

/**
 * A blob that this process can read: the result of `put`, the argument of `read`. It holds the secret, so it is never
 * stored or sent (a KeyObject has no JSON): `sealBlob` turns it into the reference that a row keeps, `openBlob` turns
 * the reference back.
 */
export interface OpenBlob {
  readonly id: string;
  /** Length of the plain bytes: the total of a `Content-Range`. */
  readonly bytes: number;
  readonly secret: KeyObject;
}

/** The bytes from `from` (inclusive) to `to` (exclusive); `0 <= from <= to <= bytes`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface BlobQuery {
  /** Exclusive cursor: only ids after this one. */
  readonly after: string | null;
  /** Only blobs whose write began before this wall time, ms. */
  readonly before: number;
  /** 1 to 1000. */
  readonly limit: number;
}

export interface Blobs {
  /**
   * Stores the bytes, pulling one piece at a time, and resolves once all of them are durable and readable. Rethrows
   * what `source` throws. Rejects with BlobTooLarge or BlobsRefused. After a rejection or a crash nothing is visible;
   * `sweepUnfinished` removes the remains.
   */
  put(source: AsyncIterable<Uint8Array>): Promise<OpenBlob>;
  /**
   * The bytes of the range, or all bytes, in pieces of at most 64 KiB, read as the consumer pulls. Reads only the
   * segments of the range (one for an empty range, to detect a missing blob), and yields a byte only after its whole
   * segment has been verified. Throws BlobRangeError at the call; the iteration throws BlobMissing, BlobCorrupt,
   * BlobsRefused.
   */
  read(blob: OpenBlob, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** False when there is no such blob. */
  remove(id: string): Promise<boolean>;
  /** Ids of finished blobs, ascending, which is the order in which their writes began. */
  list(query: BlobQuery): Promise<readonly string[]>;
  /** Removes at most `limit` unfinished writes that began before this wall time; returns how many. */
  sweepUnfinished(before: number, limit: number): Promise<number>;
  close(): Promise<void>;
}

/** No such blob: swept, removed, or never finished. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
  constructor(id: string) {
    super(`there is no blob ${id}`);
  }
}

/** The range exceeds the blob: an unsatisfiable `Range` (416), or a mistake of the calling code. */
export class BlobRangeError extends RangeError {
  override readonly name = 'BlobRangeError';
  /** Length of the whole blob, for `Content-Range`. */
  readonly bytes: number;
  constructor({ from, to }: ByteRange, bytes: number) {
    super(`bytes ${from} to ${to} do not lie within the ${bytes} bytes of the blob`);
    this.bytes = bytes;
  }
}

/** The stored bytes differ from those that were put: changed, truncated, extended, reordered or of another blob. */
export class BlobCorrupt extends Error {
  override readonly name = 'BlobCorrupt';
  constructor(id: string, fault: string) {
    super(`the blob ${id} is damaged: ${fault}`);
  }
}

/** The sender's mistake: more bytes than a blob may have. */
export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';
  readonly bytesMax: number;
  constructor(bytesMax: number) {
    super(`a blob has at most ${bytesMax} bytes`);
    this.bytesMax = bytesMax;
  }
}

/**
 * The operation certainly did not happen, and a repeat may succeed: no space, too many writes at once, or the store is
 * unreachable.
 */
export class BlobsRefused extends Error {
  override readonly name = 'BlobsRefused';
  readonly reason: 'full' | 'busy' | 'unreachable';
  constructor(reason: 'full' | 'busy' | 'unreachable', message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
