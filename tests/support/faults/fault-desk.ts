import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What one node process is made to suffer; see preload.cjs, which does it. */
export interface Faults {
  /** Stops the process once (SIGSTOP): holding the write lock, or with an actor's commit in the writer's hands. */
  readonly stop?: 'in transaction' | 'before commit';
  /** Every transaction that syncs takes so much longer, with the lock held. */
  readonly slowMs?: number;
  /** The next sync answers an input/output error; the bytes of that commit are gone, or they are there. */
  readonly fsync?: 'fails' | 'fails behind the write';
  /** No commit succeeds while database, log and ballast take up so much. */
  readonly quotaBytes?: number;
  /** Neither reads nor writes reach the store. */
  readonly cut?: boolean;
  /** The wall clock is off by so much. */
  readonly clockMs?: number;
  /** For how long SIGUSR2 blocks the event loop. */
  readonly blockMs?: number;
}

/** What the preload saw: one line each. */
export interface Note {
  readonly node: string;
  readonly pid: number;
  /** A fault struck. */
  readonly struck?: string;
  /** Shards a commit was refused because another node owns them. */
  readonly fenced?: number;
  /** How a request of the writer failed. */
  readonly failure?: string;
}

const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url));

/** Hands faults to node processes that were started with `env`, by name and while they run. */
export class FaultDesk {
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-faults-'));

  /** For the processes, or for the launcher that hands its environment on. */
  get env(): Readonly<Record<string, string>> {
    const { NODE_OPTIONS } = process.env;
    return {
      TROUPE_FAULT_FOLDER: this.#folder,
      NODE_OPTIONS: [NODE_OPTIONS, `--require ${PRELOAD}`].filter(Boolean).join(' '),
    };
  }

  /** Takes the place of what this node suffered before. */
  set(node: string, faults: Faults): void {
    const file = join(this.#folder, `${node}.json`);
    // Whole or not at all: a reader may look at any moment.
    writeFileSync(`${file}.new`, JSON.stringify(faults));
    renameSync(`${file}.new`, file);
  }

  clear(node: string): void {
    rmSync(join(this.#folder, `${node}.json`), { force: true });
  }

  get notes(): readonly Note[] {
    const file = join(this.#folder, 'notes.jsonl');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Note);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
