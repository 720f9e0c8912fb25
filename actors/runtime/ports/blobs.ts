/**
 * Large bytes beside the store: written once, never changed, read as a stream. A blob goes first, the commit that carries
 * its reference follows, and what no row refers to is swept later. A blob never travels in a message between nodes: every
 * node reads the same place (the embedded size shares one folder, the clustered size one PostgreSQL), and what travels is
 * the reference.
 */

/** What a row keeps of a blob: where it lies, and what it must be. Plain JSON. */
export interface BlobReference {
  readonly id: string;
  readonly bytes: number;
  /** Of the stored bytes, 64 hex digits. */
  readonly sha256: string;
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
  put(source: AsyncIterable<Uint8Array>): Promise<BlobReference>;
  /**
   * The bytes, read piece by piece as they are asked for. The last piece comes only after length and checksum of the
   * whole agree with the reference, so whoever reads to the end has what was put. Throws BlobMissing, BlobCorrupt,
   * BlobsRefused.
   */
  read(blob: BlobReference): AsyncIterable<Uint8Array>;
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

/** The stored bytes are not those that were put. They are never delivered to the end. */
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
