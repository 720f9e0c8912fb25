import type { Clock, Random } from '../../../actors/runtime/ports/clock.ts';
import { MemoryBlobs } from '../../support/memory-blobs.ts';
import { MemoryKeyStore } from '../../support/memory-key-store.ts';
import type { Database } from './database.ts';
import type { Dice } from './dice.ts';
import type { ProcessBytes } from './node.ts';

const BLOB_BYTES_MAX = 1024 * 1024;

/** The blobs and sealing keys of a world, and what is kept of them outside it. They survive every node. */
export class ByteWorld {
  readonly blobs: MemoryBlobs;
  readonly keys: MemoryKeyStore;
  /** A copy of every stored blob that no sweep reaches: a backup. */
  readonly backup: MemoryBlobs;
  /** Times at which no process could reach the keys, store ms. */
  readonly keyless: { readonly from: number; to: number }[] = [];
  readonly #database: Database;

  constructor(database: Database, dice: Dice) {
    this.#database = database;
    const clock: Clock = {
      now: () => database.now(),
      monotonic: () => database.scheduler.now,
      after: (ms, run) => database.scheduler.after(ms, run),
    };
    this.blobs = new MemoryBlobs({ clock, random: dice.fork(), bytesMax: BLOB_BYTES_MAX });
    this.backup = new MemoryBlobs({ clock, random: dice.fork(), bytesMax: BLOB_BYTES_MAX });
    this.keys = new MemoryKeyStore({ clock, random: dice.fork() });
  }

  connect(clock: Clock, random: Random): ProcessBytes {
    return { keys: this.keys.connect({ clock, random }), blobs: this.blobs.connect({ clock, random }) };
  }

  /** While cut no process, nor one that starts, can reach the keys, even one whose own outage ends meanwhile. */
  cutKeys(cut: boolean): void {
    if (cut === this.keys.down) return;
    this.keys.down = cut;
    const now = this.#database.now();
    const last = this.keyless.at(-1);
    if (cut) this.keyless.push({ from: now, to: Number.POSITIVE_INFINITY });
    else if (last) last.to = now;
  }

  /** Copies a stored blob into the backup. */
  copy(id: string): void {
    const bytes = this.blobs.stored(id);
    if (bytes !== undefined) this.backup.replace(id, bytes);
  }
}
