/**
 * A file that reserves space: when the disk is full, its removal frees space for the results of work in progress
 * (settles, releases, cancels). It lies beside the database and is shared by its nodes. Each node polls for the file,
 * so all of them detect a full disk, and recreates it once there is room for it and for some more commits.
 */
import { rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../../ports/clock.ts';

const CHUNK_BYTES = 1024 * 1024;
/**
 * Free space required beside the ballast before new work is admitted, as a share of it: the next commit must not fill
 * the disk at once.
 */
const HEADROOM_SHARE = 0.25;
const POLL_MS = 250;
/** Interval between two attempts to create it: each writes as much as there is room for. */
const CREATE_MS = 2_000;
/** A partial file of a process that ended is removed after this time. */
const ABANDONED_MS = 30_000;

interface BallastOptions {
  readonly path: string;
  readonly bytes: number;
  readonly clock: Clock;
  /** Called when the ballast is missing, and when it exists again. */
  readonly changed: (full: boolean) => void;
}

export class Ballast {
  readonly #options: BallastOptions;
  #full = false;
  /** This node has seen the whole file. */
  #wasThere = false;
  #createAt = 0;
  #closed = false;
  #again: Cancel = () => {};

  private constructor(options: BallastOptions) {
    this.#options = options;
  }

  /**
   * Creates the ballast unless it exists, and keeps polling. A disk without room for it counts as full and is not an
   * error.
   */
  static async create(options: BallastOptions): Promise<Ballast> {
    const ballast = new Ballast(options);
    await ballast.#poll();
    return ballast;
  }

  /** True while the ballast is missing: the remaining space is for work in progress. */
  get full(): boolean {
    return this.#full;
  }

  /** Frees the space. Idempotent. */
  drop(): void {
    rmSync(this.#options.path, { force: true });
    // The failed commit has just shown that there is no room.
    this.#createAt = this.#options.clock.monotonic() + CREATE_MS;
    this.#set(true);
  }

  close(): void {
    this.#closed = true;
    this.#again();
  }

  async #poll(): Promise<void> {
    const { clock } = this.#options;
    if (await this.#isThere()) {
      this.#wasThere = true;
      this.#set(false);
    } else if (this.#wasThere && !this.#full) {
      // Only a node that found the disk full removes it: its space is for work in progress, and is not taken at once.
      this.#createAt = clock.monotonic() + CREATE_MS;
      this.#set(true);
    } else if (clock.monotonic() < this.#createAt) {
      // While another node creates the file, which can take longer than a poll, its absence does not mean a full disk.
      if (!(await this.#isBeingCreated()) && !(await this.#isThere())) this.#set(true);
    } else {
      this.#createAt = clock.monotonic() + CREATE_MS;
      const outcome = await this.#fill();
      // When another node creates the file, that node decides; a concurrent drop is newer than this attempt.
      if (outcome === 'created') this.#wasThere = true;
      if (outcome !== 'elsewhere') this.#set(!(outcome === 'created' && (await this.#isThere())));
    }
    if (!this.#closed) this.#again = clock.after(POLL_MS, () => void this.#poll());
  }

  #set(full: boolean): void {
    if (this.#full === full || this.#closed) return;
    this.#full = full;
    this.#options.changed(full);
  }

  async #isThere(): Promise<boolean> {
    const { path, bytes } = this.#options;
    const found = await stat(path).catch(() => null);
    return found !== null && found.size >= bytes;
  }

  /** Atomic: written under a temporary name by one node at a time and renamed when complete. */
  async #fill(): Promise<'created' | 'no room' | 'elsewhere'> {
    const { path, bytes } = this.#options;
    const partial = partialPath(path);
    try {
      await write(partial, bytes);
      await rename(partial, path);
      return 'created';
    } catch (error) {
      const elsewhere = (error as { code?: string }).code === 'EEXIST';
      if (!elsewhere || (await this.#isAbandoned(partial))) await rm(partial, { force: true }).catch(() => {});
      return elsewhere ? 'elsewhere' : 'no room';
    }
  }

  async #isBeingCreated(): Promise<boolean> {
    return (await stat(partialPath(this.#options.path)).catch(() => null)) !== null;
  }

  /** Compares the file system's clock with ours, which can differ: an early removal only repeats the write. */
  async #isAbandoned(partial: string): Promise<boolean> {
    const found = await stat(partial).catch(() => null);
    return found !== null && this.#options.clock.now() - found.mtimeMs > ABANDONED_MS;
  }
}

function partialPath(path: string): string {
  return `${path}.new`;
}

async function write(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let left = Math.ceil(bytes * (1 + HEADROOM_SHARE)); left > 0; left -= CHUNK_BYTES) {
      await file.write(chunk, 0, Math.min(left, CHUNK_BYTES));
    }
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
