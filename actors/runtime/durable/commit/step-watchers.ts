import type { Log } from '../../ports/log.ts';
import type { CommittedStep } from '../engine.ts';
import type { Entry } from './entry.ts';

interface Watcher {
  readonly matches: (address: string) => boolean;
  readonly see: (step: CommittedStep) => void;
}

/** Watchers of steps. They cost nothing while there are none. */
export class StepWatchers {
  private readonly watchers = new Set<Watcher>();
  private readonly max: number;
  private readonly log: Log;

  constructor(max: number, log: Log) {
    this.max = max;
    this.log = log;
  }

  /** Throws when the limit is reached; returns a stop function. */
  add(matches: Watcher['matches'], see: Watcher['see']): () => void {
    if (this.watchers.size >= this.max) throw new Error(`at most ${this.max} watchers at once`);
    const watcher = { matches, see };
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Passes the steps of a durable entry to the watchers. */
  show({ changes }: Pick<Entry, 'changes'>): void {
    // An entry written at hand-over has no step.
    if (this.watchers.size > 0) this.pass(changes.filter(({ event }) => event !== ''));
  }

  /** Passes volatile steps that changed their actor's state, such as the health of an endpoint; the others are many. */
  showVolatile(changes: Entry['changes']): void {
    if (this.watchers.size > 0) this.pass(changes.filter(({ from, to }) => from !== to));
  }

  private pass(changes: Entry['changes']): void {
    for (const { cell, version, at, event, from, to } of changes) {
      for (const watcher of this.watchers) {
        try {
          const { address } = cell;
          if (!watcher.matches(address)) continue;
          const { epoch, node } = cell.shard;
          watcher.see({ address, version, at, event, from, to, epoch, node });
        } catch (error) {
          this.watchers.delete(watcher);
          this.log({ level: 'warn', message: 'a watcher threw and was removed', error: String(error) });
        }
      }
    }
  }
}
