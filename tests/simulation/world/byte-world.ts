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
  /** While true no process, nor one that starts, can reach the keys. */
  #keysCut = false;
  readonly #connected = new Set<MemoryKeyStore>();
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
    const keys = this.keys.connect({ clock, random });
    keys.cut = this.#keysCut;
    this.#connected.add(keys);
    return { keys, blobs: this.blobs.connect({ clock, random }) };
  }

  /** Cuts the keys off from every process, or connects them again. */
  cutKeys(cut: boolean): void {
    if (cut === this.#keysCut) return;
    this.#keysCut = cut;
    for (const keys of this.#connected) keys.cut = cut;
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
