/**
 * The Blobs port in memory, for the simulation and the contract. Several nodes share one instance through `connect()`;
 * each connection can lose the blobs, as a cut-off node does. Never fails by itself.
 */

import { readBlob, type StoredBlob } from '../../actors/runtime/bytes/read-blob.ts';
import { blobId } from '../../actors/runtime/bytes/segment.ts';
import { type BlobDraft, WriteSlots, writeBlob } from '../../actors/runtime/bytes/write-blob.ts';
import {
  BlobMissing,
  type BlobQuery,
  type Blobs,
  BlobsRefused,
  type ByteRange,
  type OpenBlob,
} from '../../actors/runtime/ports/blobs.ts';
import type { Clock, Random } from '../../actors/runtime/ports/clock.ts';

interface MemoryBlobsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly bytesMax: number;
  readonly writesMax?: number;
}

const LIST_MAX = 1_000;

interface Place {
  readonly finished: Map<string, Buffer>;
  readonly unfinished: Map<string, Uint8Array[]>;
}

export class MemoryBlobs implements Blobs {
  /** If true, every call of this connection is refused as unreachable. */
  cut = false;
  /** The ranges of stored bytes that this connection has read, as [at, bytes]. */
  readonly reads: (readonly [number, number])[] = [];
  readonly #options: MemoryBlobsOptions;
  readonly #place: Place;
  readonly #slots: WriteSlots;

  constructor(options: MemoryBlobsOptions, place: Place = { finished: new Map(), unfinished: new Map() }) {
    this.#options = options;
    this.#slots = new WriteSlots(options.writesMax);
    this.#place = place;
  }

  /** Another node's connection to the same blobs, with a clock of its own if one is given. */
  connect(ports: Partial<Pick<MemoryBlobsOptions, 'clock' | 'random'>> = {}): MemoryBlobs {
    return new MemoryBlobs({ ...this.#options, ...ports }, this.#place);
  }

  /** Number of open writes. */
  get unfinished(): number {
    return this.#place.unfinished.size;
  }

  /** Ids of the finished blobs. */
  get ids(): readonly string[] {
    return [...this.#place.finished.keys()];
  }

  /** The mutable bytes of a blob; tests damage them. */
  stored(id: string): Buffer | undefined {
    return this.#place.finished.get(id);
  }

  replace(id: string, bytes: Buffer): void {
    this.#place.finished.set(id, Buffer.from(bytes));
  }

  async put(source: AsyncIterable<Uint8Array>): Promise<OpenBlob> {
    return this.#slots.take(() => writeBlob(async () => this.#begin(), source, this.#options));
  }

  read(blob: OpenBlob, range?: ByteRange): AsyncIterable<Uint8Array> {
    return readBlob((id) => this.#open(id), blob, range);
  }

  async remove(id: string): Promise<boolean> {
    this.#reach();
    return this.#place.finished.delete(id);
  }

  async list({ after, before, limit }: BlobQuery): Promise<readonly string[]> {
    this.#reach();
    if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX)
      throw new RangeError(`limit must be 1 to ${LIST_MAX}`);
    return [...this.#place.finished.keys()]
      .filter((id) => blobId.madeAt(id) < before && (after === null || id > after))
      .sort()
      .slice(0, limit);
  }

  async sweepUnfinished(before: number, limit: number): Promise<number> {
    this.#reach();
    const old = [...this.#place.unfinished.keys()].filter((id) => blobId.madeAt(id) < before).slice(0, limit);
    for (const id of old) this.#place.unfinished.delete(id);
    return old.length;
  }

  async close(): Promise<void> {}

  #begin(): BlobDraft {
    this.#reach();
    const { clock, random } = this.#options;
    const { finished, unfinished } = this.#place;
    const id = blobId.make(clock.now(), random);
    const written: Uint8Array[] = [];
    unfinished.set(id, written);
    return {
      id,
      append: async (piece) => {
        this.#reach();
        written.push(piece.slice());
      },
      finish: async () => {
        this.#reach();
        if (!unfinished.delete(id))
          throw new BlobsRefused('unreachable', `the blob ${id} was swept while it was written`);
        finished.set(id, Buffer.concat(written));
      },
      discard: async () => {
        if (!this.cut) unfinished.delete(id);
      },
    };
  }

  async #open(id: string): Promise<StoredBlob> {
    this.#reach();
    const stored = this.#place.finished.get(id);
    if (stored === undefined) throw new BlobMissing(id);
    return {
      bytes: stored.length,
      read: async (at, bytes) => {
        this.#reach();
        const read = stored.subarray(at, at + bytes);
        this.reads.push([at, read.length]);
        return read;
      },
      close: async () => {},
    };
  }

  #reach(): void {
    if (this.cut) throw new BlobsRefused('unreachable', 'the blobs are out of reach');
  }
}
