/**
 * The Blobs port over the database of the PostgreSQL store, for nodes on any number of hosts. Each piece is a separate
 * statement and durable before the next is read from the sender. So no transaction stays open for a slow sender, and a
 * commit waits for at most a few pieces of log. A read fetches only the segments it needs.
 */

import { readBlob, type StoredBlob } from '../../bytes/read-blob.ts';
import { blobId, segment } from '../../bytes/segment.ts';
import { type BlobDraft, WriteSlots, writeBlob } from '../../bytes/write-blob.ts';
import {
  BlobMissing,
  type BlobQuery,
  type Blobs,
  BlobsRefused,
  type ByteRange,
  type OpenBlob,
} from '../../ports/blobs.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { StoreRefused } from '../../ports/store.ts';
import { UnfitDatabase } from '../migration.ts';
import type { ConnectionBounds, ConnectionLaneBounds } from '../store-choice.ts';
import { connect, openingAdvice, withoutPassword } from './connect.ts';
import { type CallKind, ConnectionLane } from './connection-lane.ts';
import { migrate } from './migrate.ts';
import { blobSql } from './statements.ts';

export interface PostgresBlobsOptions {
  /** `postgres://user:password@host:port/database`: the store's database. */
  readonly url: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly bounds: ConnectionBounds & ConnectionLaneBounds;
  /** Maximum size of one blob in bytes. */
  readonly bytesMax: number;
  /** Maximum number of concurrent writes; further ones are refused as busy. Default 256. */
  readonly writesMax?: number;
}

/** Connections for blobs: with two pieces at a time the server has capacity for commits. */
const LANES = 2;
const LIST_MAX = 1_000;

/** Rejects with a one-line message with the database and the remedy when it cannot be opened, changed or understood. */
export async function openPostgresBlobs(options: PostgresBlobsOptions): Promise<Blobs> {
  const { url, bounds } = options;
  try {
    const client = await connect({ url, bounds, applicationName: 'troupe blobs' });
    try {
      await migrate(client, { database: withoutPassword(url), shards: null });
    } finally {
      await client.end().catch(() => {});
    }
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    throw new Error(openingAdvice(url, error), { cause: error });
  }
  return new PostgresBlobs(options);
}

class PostgresBlobs implements Blobs {
  readonly #options: PostgresBlobsOptions;
  readonly #lanes: readonly ConnectionLane[];
  readonly #slots: WriteSlots;

  constructor(options: PostgresBlobsOptions) {
    this.#options = options;
    this.#slots = new WriteSlots(options.writesMax);
    const { url, clock, random, bounds } = options;
    const open = (ended: () => void) => connect({ url, bounds, applicationName: 'troupe blobs', ended });
    this.#lanes = Array.from({ length: LANES }, () => new ConnectionLane({ clock, random, bounds, connect: open }));
  }

  async put(source: AsyncIterable<Uint8Array>): Promise<OpenBlob> {
    return this.#slots.take(() => writeBlob(() => this.#begin(), source, this.#options));
  }

  read(blob: OpenBlob, range?: ByteRange): AsyncIterable<Uint8Array> {
    return readBlob((id) => this.#open(id), blob, range);
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#change(blobSql.remove, id)) > 0;
  }

  async list({ after, before, limit }: BlobQuery): Promise<readonly string[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX)
      throw new RangeError(`limit must be 1 to ${LIST_MAX}`);
    const rows = await this.#read<{ id: string }>(blobSql.list, after ?? '', blobId.firstAt(before), limit);
    return rows.map(({ id }) => id);
  }

  sweepUnfinished(before: number, limit: number): Promise<number> {
    return this.#change(blobSql.sweepUnfinished, blobId.firstAt(before), limit);
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  async #begin(): Promise<BlobDraft> {
    const { clock, random } = this.#options;
    const id = blobId.make(clock.now(), random);
    await this.#change(blobSql.begin, id);
    let pieces = 0;
    return {
      id,
      append: async (piece) => void (await this.#change(blobSql.append, id, pieces++, piece)),
      finish: async () => {
        if ((await this.#change(blobSql.finish, id)) === 1) return;
        throw new BlobsRefused('unreachable', `the blob ${id} was swept while it was written`);
      },
      discard: async () => void (await this.#change(blobSql.discard, id).catch(() => {})),
    };
  }

  async #open(id: string): Promise<StoredBlob> {
    const bytes = await this.#bytesOf(id);
    return { bytes, read: (at, wanted) => this.#readFrom(id, at, wanted), close: async () => {} };
  }

  async #readFrom(id: string, at: number, bytes: number): Promise<Uint8Array> {
    const piece = Math.floor(at / segment.pieceBytes);
    // PostgreSQL counts bytes from 1.
    const first = (at % segment.pieceBytes) + 1;
    const [row] = await this.#read<{ body: Buffer }>(blobSql.part, id, piece, first, bytes);
    if (row) return row.body;
    // A missing row means damage, unless the whole blob was removed during the read.
    await this.#bytesOf(id);
    return new Uint8Array(0);
  }

  async #bytesOf(id: string): Promise<number> {
    const [found] = blobId.isOne(id) ? await this.#read<{ bytes: number }>(blobSql.find, id) : [];
    if (found === undefined) throw new BlobMissing(id);
    return found.bytes;
  }

  async #read<Row extends object>(statement: Statement, ...values: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.#call<Row>(statement, values, 'read')).rows;
  }

  async #change(statement: Statement, ...values: readonly unknown[]): Promise<number> {
    return (await this.#call(statement, values, 'change')).rowCount ?? 0;
  }

  /** Uses the connection with the shortest queue. */
  async #call<Row extends object>(statement: Statement, values: readonly unknown[], callKind: CallKind) {
    const lane = this.#lanes.reduce((best, other) => (other.waiting < best.waiting ? other : best));
    try {
      return await lane.call<Row>({ ...statement, values }, callKind);
    } catch (error) {
      const reason = error instanceof StoreRefused ? error.reason : 'unreachable';
      throw new BlobsRefused(reason, error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

type Statement = (typeof blobSql)[keyof typeof blobSql];
