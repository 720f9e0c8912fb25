import type { Database } from '../world/database.ts';
import type { Client } from './client.ts';

/** Most runs of one generation: each run may call an endpoint once, and the auditor allows two calls per endpoint. */
const RUNS_MAX = 2;

/** One generation over all its runs, like a line of a batch: its id is older than any run, and runs may be repeated. */
export interface Line<Turn> {
  /** The turn of the latest run. */
  turn: Turn;
  /** Number of the latest run, from 1. */
  run: number;
  /** The client that makes the latest run. */
  runner: Client;
  /** Simulated time after which the run is abandoned, although its node may still be running it. */
  lapsesAt: number;
  /** It has an outcome and is not run again. */
  over: boolean;
}

/**
 * Returns lines to run again: those whose process ended, often before the members have declared it dead, those whose
 * node was declared dead, although its process may live, and those that took too long.
 */
export class Lines<Turn> {
  readonly #database: Database;
  #open: Line<Turn>[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  add(line: Line<Turn>): void {
    this.#open.push(line);
  }

  /** A line for this client to run next; null when no other node has left one. */
  take({ node }: Client): Line<Turn> | null {
    this.#open = this.#open.filter((line) => !line.over && line.run < RUNS_MAX);
    const { now } = this.#database.scheduler;
    const others = this.#open.filter(({ runner }) => runner.node !== node);
    return others.find(({ lapsesAt, runner }) => lapsesAt <= now || this.#isGone(runner)) ?? null;
  }

  #isGone({ node, isAlive }: Client): boolean {
    if (!isAlive()) return true;
    const row = this.#database.tables.allNodes().find((each) => each.incarnation === node.self.incarnation);
    return row?.state === 'dead' || row?.state === 'left';
  }
}
