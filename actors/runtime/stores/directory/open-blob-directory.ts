/**
 * The Blobs port over one folder of one host, shared by its node processes. A blob is written under `writing/`, synced
 * in steps, and renamed into a folder per 17 minutes. Every visible blob is therefore complete and durable.
 */
import { type FileHandle, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlob, type StoredBlob } from '../../bytes/read-blob.ts';
import { blobId } from '../../bytes/segment.ts';
import { type BlobDraft, WriteSlots, writeBlob } from '../../bytes/write-blob.ts';
import { Semaphore } from '../../collections/semaphore.ts';
import {
  BlobMissing,
  type BlobQuery,
  type Blobs,
  BlobsRefused,
  type ByteRange,
  type OpenBlob,
} from '../../ports/blobs.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { makeFolder, syncFolder } from './folders.ts';

interface BlobDirectoryOptions {
  /** The folder; created if it is missing. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum size of one blob in bytes. */
  readonly bytesMax: number;
  /** Maximum number of concurrent writes; further ones are refused as busy. Default 256. */
  readonly writesMax?: number;
}

/**
 * Written bytes that may be unsynced: a sync of another file on the same file system, such as a commit's, can wait for
 * them. Worst commit beside 32 MiB blobs written without a pause: 26-47 ms with 1 MiB, 24-156 ms with 256 KiB, 66 ms
 * with the whole blob at once (6-31 ms without blobs).
 */
const UNSYNCED_BYTES_MAX = 1024 * 1024;
/** Concurrent disk operations of all writes: the process's thread pool has other work as well. */
const DISK_TURNS_MAX = 2;
const LIST_MAX = 1_000;
const PUBLISH_TRIES_MAX = 3;
/** Leading digits of an id that name its folder: 2^20 ms. */
const FOLDER_DIGITS = 7;
const FOLDER_NAME = /^[0-9a-f]{7}$/;
const WRITING = 'writing';

/**
 * Rejects with BlobsRefused and a one-line message with the folder and the remedy when the folder cannot be created or
 * written.
 */
export async function openBlobDirectory(options: BlobDirectoryOptions): Promise<Blobs> {
  await onDisk(options.path, async () => {
    makeFolder(join(options.path, WRITING));
    await syncFolder(options.path);
  });
  return new BlobDirectory(options);
}

/** A write may take fewer bytes than given. */
async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let written = 0; written < piece.length; )
    written += (await file.write(piece, written, piece.length - written)).bytesWritten;
}

class BlobDirectory implements Blobs {
  readonly #options: BlobDirectoryOptions;
  readonly #turns = new Semaphore(DISK_TURNS_MAX);
  readonly #slots: WriteSlots;
  /**
   * The last folder whose own directory entry was synced. Another process can have created a folder without syncing it
   * yet.
   */
  #syncedFolder = '';

  constructor(options: BlobDirectoryOptions) {
    this.#options = options;
    this.#slots = new WriteSlots(options.writesMax);
  }

  async put(source: AsyncIterable<Uint8Array>): Promise<OpenBlob> {
    return this.#slots.take(() => writeBlob(() => this.#begin(), source, this.#options));
  }

  read(blob: OpenBlob, range?: ByteRange): AsyncIterable<Uint8Array> {
    return readBlob((id) => this.#open(id), blob, range);
  }

  async remove(id: string): Promise<boolean> {
    if (!blobId.isOne(id)) return false;
    const removed = await this.#disk(() => existed(unlink(this.#place(id))));
    if (removed) await rmdir(this.#folder(id)).catch(() => {});
    return removed;
  }

  async list({ after, before, limit }: BlobQuery): Promise<readonly string[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX)
      throw new RangeError(`limit must be 1 to ${LIST_MAX}`);
    const end = blobId.firstAt(before);
    const found: string[] = [];
    for (const folder of await this.#folders()) {
      if (folder > end.slice(0, FOLDER_DIGITS)) break;
      if (after !== null && folder < after.slice(0, FOLDER_DIGITS)) continue;
      const names = await this.#disk(() => namesIn(join(this.#options.path, folder)));
      found.push(...names.filter((name) => blobId.isOne(name) && name < end && (after === null || name > after)));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async sweepUnfinished(before: number, limit: number): Promise<number> {
    const end = blobId.firstAt(before);
    const folder = join(this.#options.path, WRITING);
    const names = await this.#disk(() => namesIn(folder));
    let swept = 0;
    for (const name of names.filter((id) => blobId.isOne(id) && id < end).slice(0, limit)) {
      if (await this.#disk(() => existed(unlink(join(folder, name))))) swept++;
    }
    return swept;
  }

  async close(): Promise<void> {}

  async #begin(): Promise<BlobDraft> {
    const { path, clock, random } = this.#options;
    const id = blobId.make(clock.now(), random);
    const temporary = join(path, WRITING, id);
    const file = await this.#disk(() => open(temporary, 'wx', 0o600));
    let unsynced = 0;
    return {
      id,
      append: (piece) =>
        this.#withTurn(async () => {
          await writeAll(file, piece);
          unsynced += piece.length;
          if (unsynced < UNSYNCED_BYTES_MAX) return;
          await file.datasync();
          unsynced = 0;
        }),
      finish: () =>
        this.#withTurn(async () => {
          await file.sync();
          await file.close();
          await this.#publish(temporary, id);
        }),
      discard: async () => {
        await file.close().catch(() => {});
        await unlink(temporary).catch(() => {});
        await unlink(this.#place(id)).catch(() => {});
      },
    };
  }

  /** The content is synced already; the last sync makes the name durable. */
  async #publish(temporary: string, id: string): Promise<void> {
    const folder = this.#folder(id);
    for (let tries = 1; ; tries++) {
      if (folder !== this.#syncedFolder) {
        makeFolder(folder);
        await syncFolder(this.#options.path);
        this.#syncedFolder = folder;
      }
      try {
        await rename(temporary, this.#place(id));
        return await syncFolder(folder);
      } catch (error) {
        // A concurrent removal deleted the folder while it was empty.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === PUBLISH_TRIES_MAX) throw error;
        this.#syncedFolder = '';
      }
    }
  }

  async #open(id: string): Promise<StoredBlob> {
    if (!blobId.isOne(id)) throw new BlobMissing(id);
    return this.#disk(async () => {
      const file = await open(this.#place(id), 'r').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new BlobMissing(id) : error;
      });
      const { size } = await file.stat().catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
      // One buffer for all pieces: a new one for each would make the collector run several times per download.
      let buffer = Buffer.alloc(0);
      return {
        bytes: size,
        read: (at, bytes) => {
          if (buffer.length < bytes) buffer = Buffer.allocUnsafeSlow(bytes);
          return this.#disk(() => readFrom(file, at, buffer.subarray(0, bytes)));
        },
        close: () => file.close(),
      };
    });
  }

  async #folders(): Promise<string[]> {
    const names = await this.#disk(() => namesIn(this.#options.path));
    return names.filter((name) => FOLDER_NAME.test(name));
  }

  #folder(id: string): string {
    return join(this.#options.path, id.slice(0, FOLDER_DIGITS));
  }

  #place(id: string): string {
    return join(this.#folder(id), id);
  }

  #withTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.take(() => this.#disk(work));
  }

  #disk<T>(work: () => Promise<T>): Promise<T> {
    return onDisk(this.#options.path, work);
  }
}

/** Converts a disk error to the port's error. */
async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new BlobsRefused('full', `no space left for blobs in ${path}: free some`, { cause: error });
    }
    throw new BlobsRefused('unreachable', `the blob folder ${path} cannot be used (${message})`, { cause: error });
  }
}

/** Fills the buffer with the bytes from `at` on; returns less of it only at the end of the file. */
async function readFrom(file: FileHandle, at: number, buffer: Uint8Array): Promise<Uint8Array> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, at + filled);
    if (bytesRead === 0) return buffer.subarray(0, filled);
    filled += bytesRead;
  }
  return buffer;
}

/** Sorted names; empty when the folder does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function existed(removing: Promise<void>): Promise<boolean> {
  try {
    await removing;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
