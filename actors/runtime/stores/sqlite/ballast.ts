/**
 * A file that only takes up space: when the disk is full its removal lets what is under way (settles, releases, cancels)
 * still be written. It lies beside the database and is shared by its nodes; each looks whether it is there, so that all
 * of them know of a full disk, and lays it again as soon as there is room for it and for some commits more.
 */
import { rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../../ports/clock.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Room beside the ballast before new work may come back, as a part of it: the next commit must not end it at once. */
const HEADROOM_SHARE = 0.25;
const LOOK_MS = 250;
/** Between two tries to lay it: each writes as much as there is room for. */
const LAY_MS = 2_000;
/** One that was left half laid by a process that ended is given up after this. */
const ABANDONED_MS = 30_000;

export interface BallastOptions {
  readonly path: string;
  readonly bytes: number;
  readonly clock: Clock;
  /** Told when the ballast is found missing, and when it is there again. */
  readonly changed: (full: boolean) => void;
}

export class Ballast {
  readonly #options: BallastOptions;
  #full = false;
  #layAt = 0;
  #closed = false;
  #again: Cancel = () => {};

  private constructor(options: BallastOptions) {
    this.#options = options;
  }

  /** Lays the ballast unless it is there, and watches over it. A disk without room for it counts as full: no error. */
  static async lay(options: BallastOptions): Promise<Ballast> {
    const ballast = new Ballast(options);
    await ballast.#look();
    return ballast;
  }

  /** True while the ballast is not there: what is left of the disk is for work under way. */
  get full(): boolean {
    return this.#full;
  }

  /** Frees the space. Harmless when called again. */
  drop(): void {
    rmSync(this.#options.path, { force: true });
    // The commit that failed has just shown that there is no room.
    this.#layAt = this.#options.clock.monotonic() + LAY_MS;
    this.#set(true);
  }

  close(): void {
    this.#closed = true;
    this.#again();
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    if (await this.#isThere()) this.#set(false);
    else if (clock.monotonic() < this.#layAt) {
      // While another node is laying it, which may take longer than a look, it says nothing of a full disk.
      if (!(await this.#isBeingLaid()) && !(await this.#isThere())) this.#set(true);
    } else {
      this.#layAt = clock.monotonic() + LAY_MS;
      const laid = await this.#fill();
      // Whoever else is laying it will know; and a drop meanwhile is the later news.
      if (laid !== 'elsewhere') this.#set(!(laid === 'laid' && (await this.#isThere())));
    }
    if (!this.#closed) this.#again = clock.after(LOOK_MS, () => void this.#look());
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

  /** Whole or not at all: it gets its name when it is laid, by one node at a time. */
  async #fill(): Promise<'laid' | 'no room' | 'elsewhere'> {
    const { path, bytes } = this.#options;
    const laying = layingPath(path);
    try {
      await write(laying, bytes);
      await rename(laying, path);
      return 'laid';
    } catch (error) {
      const elsewhere = (error as { code?: string }).code === 'EEXIST';
      if (!elsewhere || (await this.#isAbandoned(laying))) await rm(laying, { force: true }).catch(() => {});
      return elsewhere ? 'elsewhere' : 'no room';
    }
  }

  async #isBeingLaid(): Promise<boolean> {
    return (await stat(layingPath(this.#options.path)).catch(() => null)) !== null;
  }

  /** By the file system's clock and ours, which may differ: given up a little early it is only laid again. */
  async #isAbandoned(laying: string): Promise<boolean> {
    const found = await stat(laying).catch(() => null);
    return found !== null && this.#options.clock.now() - found.mtimeMs > ABANDONED_MS;
  }
}

function layingPath(path: string): string {
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
