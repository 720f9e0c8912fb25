/**
 * Large bytes beside the store: written once, never changed, read whole or by range as a stream. A blob goes first, the
 * commit that carries its sealed reference follows, and the sweep removes what no row refers to. A blob never travels in a
 * message between nodes: every node reads the same place (the embedded size shares one folder, the clustered size one
 * PostgreSQL), and what travels is the reference.
 *
 * A blob is stored as segments of 64 KiB, each encrypted under a secret of the blob's own and bound to its position and
 * to being the last. That encryption is the only proof of the bytes: a range is proven by the segments it touches.
 */
import type { KeyObject } from 'node:crypto';

/**
 * A blob in the hands of this process: what `put` returns and `read` needs. It holds the secret, so it is never stored
 * or sent (a KeyObject has no JSON): `sealBlob` makes of it what a row keeps, `openBlob` makes it again.
 */
export interface OpenBlob {
  readonly id: string;
  /** Bytes that were put: the total of a `Content-Range`. */
  readonly bytes: number;
  readonly secret: KeyObject;
}

/** The bytes at `from` and behind it, up to and without the one at `to`; `0 <= from <= to <= bytes`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface BlobQuery {
  /** Exclusive cursor: ids behind this one. */
  readonly after: string | null;
  /** Only blobs whose writing began before this wall time, ms. */
  readonly before: number;
  /** 1 to 1000. */
  readonly limit: number;
}

export interface Blobs {
  /**
   * Takes the bytes in, pulling one piece at a time, and resolves once all of them are durable and the blob can be read.
   * Whatever `source` throws is thrown on. Rejects with BlobTooLarge or BlobsRefused. Nothing is visible after a
   * rejection, nor after a crash; what is left of it goes with `sweepUnfinished`.
   */
  put(source: AsyncIterable<Uint8Array>): Promise<OpenBlob>;
  /**
   * The bytes of the range, or all of them, at most 64 KiB at a time as they are asked for. Reads only the segments that
   * hold them (of an empty range one, so that a missing blob shows), and passes a byte on only after its whole segment
   * has proved to be what was put at that position. Throws BlobRangeError at the call; the iteration throws BlobMissing,
   * BlobCorrupt, BlobsRefused.
   */
  read(blob: OpenBlob, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
  /** Ids of finished blobs, ascending, which is the order in which their writing began. */
  list(query: BlobQuery): Promise<readonly string[]>;
  /** Removes at most `limit` writes that began before this wall time and were never finished; returns how many. */
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

/** The range does not lie within the blob: an unsatisfiable `Range` (416), or a mistake of the caller. */
export class BlobRangeError extends RangeError {
  override readonly name = 'BlobRangeError';
  /** Of the whole blob, for `Content-Range`. */
  readonly bytes: number;
  constructor({ from, to }: ByteRange, bytes: number) {
    super(`bytes ${from} to ${to} do not lie within the ${bytes} bytes of the blob`);
    this.bytes = bytes;
  }
}

/** The stored bytes are not those that were put: changed, cut, extended, reordered or of another blob. */
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

/** It certainly did not happen, and may later: no space, too many at once, or the place is out of reach. */
export class BlobsRefused extends Error {
  override readonly name = 'BlobsRefused';
  readonly reason: 'full' | 'busy' | 'unreachable';
  constructor(reason: 'full' | 'busy' | 'unreachable', message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
