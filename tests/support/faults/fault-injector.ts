import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The faults injected into one node process by preload.cjs. */
interface Faults {
  /** Stops the process once (SIGSTOP): holding the write lock, or with an actor's commit in the writer's hands. */
  readonly stop?: 'in transaction' | 'before commit';
  /** Delay of every transaction that syncs, with the lock held. */
  readonly slowMs?: number;
  /** The next sync fails with an input/output error; the bytes of that commit are lost or kept. */
  readonly fsync?: 'fails' | 'fails behind the write';
  /** No commit succeeds while database, log and ballast exceed this size. */
  readonly quotaBytes?: number;
  /** Reads and writes do not reach the store. */
  readonly cut?: boolean;
  /** Offset of the wall clock. */
  readonly clockMs?: number;
  /** For how long SIGUSR2 blocks the event loop. */
  readonly blockMs?: number;
}

/** Events recorded by the preload, one line each. */
export interface Note {
  readonly node: string;
  readonly pid: number;
  /** A fault took effect. */
  readonly effect?: string;
  /** Shards a commit was refused because another node owns them. */
  readonly fenced?: number;
  /** How a request of the writer failed. */
  readonly failure?: string;
}

const PRELOAD = fileURLToPath(new URL('./preload.cjs', import.meta.url));

/** Injects faults into running node processes started with `env`, by name. */
export class FaultInjector {
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-faults-'));

  /** For the processes, or for the launcher, which passes its environment on. */
  get env(): Readonly<Record<string, string>> {
    const { NODE_OPTIONS } = process.env;
    return {
      TROUPE_FAULT_FOLDER: this.#folder,
      NODE_OPTIONS: [NODE_OPTIONS, `--require ${PRELOAD}`].filter(Boolean).join(' '),
    };
  }

  /** Replaces the previous faults of this node. */
  set(node: string, faults: Faults): void {
    const file = join(this.#folder, `${node}.json`);
    // Written atomically, because a reader may read at any moment.
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
