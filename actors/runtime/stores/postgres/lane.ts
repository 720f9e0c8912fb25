/**
 * One connection and what waits for it: calls go one at a time, in order. A connection that broke is made anew by the
 * next call. It tells apart what was never sent, what the server refused, and what may have happened.
 */
import type pg from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { StoreRefused } from '../../ports/store.ts';
import { UnfitDatabase } from '../migration.ts';
import { isRepeatable, messageOf, refusalOf, sqlState, unknownOutcome } from './failure.ts';

/** A statement with its values, as the driver takes it. */
export interface LaneCall {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface ConnectionLaneBounds {
  /** Longest wait for an answer before the connection is given up; above the server's own bounds. */
  readonly answerMs: number;
  readonly callsMax: number;
  /** Tries of a call that the server refused for a deadlock or a conflict, the first included. */
  readonly triesMax: number;
  /** Longest pause between two of them; the real one is random. */
  readonly retryMsMax: number;
}

export interface LaneOptions {
  readonly connect: (ended: () => void) => Promise<pg.Client>;
  readonly clock: Clock;
  readonly random: { fraction(): number };
  readonly bounds: ConnectionLaneBounds;
}

/** Reading may be repeated on a new connection; a change whose connection broke has an unknown outcome. */
export type Manner = 'read' | 'change';

export class ConnectionLane {
  readonly #options: LaneOptions;
  #client: pg.Client | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Rejects with StoreRefused, or for a change with StoreOutcomeUnknown. */
  call<Row extends pg.QueryResultRow>(call: LaneCall, manner: Manner): Promise<pg.QueryResult<Row>> {
    if (this.#closed) return Promise.reject(new StoreRefused('unreachable', 'the store is closed'));
    if (this.#waiting >= this.#options.bounds.callsMax) {
      return Promise.reject(new StoreRefused('busy', `${this.#waiting} calls wait for one connection`));
    }
    this.#waiting++;
    const answer = this.#tail.then(() => this.#insist<Row>(call, manner)).finally(() => this.#waiting--);
    this.#tail = answer.catch(() => {});
    return answer;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Lets what was asked for be answered, then ends the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#tail;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async #insist<Row extends pg.QueryResultRow>(call: LaneCall, manner: Manner): Promise<pg.QueryResult<Row>> {
    const { triesMax, retryMsMax } = this.#options.bounds;
    for (let tries = 1; ; tries++) {
      const client = await this.#connected();
      try {
        return await this.#ask<Row>(client, call);
      } catch (error) {
        // An answer from the server is final only once it takes the next question: then its transaction is over.
        const over = sqlState(error) !== null && (await this.#isAlive(client));
        if (!over) this.#abandon(client);
        const again = over ? isRepeatable(error) : manner === 'read';
        if (again && tries < triesMax) {
          await this.#pause(this.#options.random.fraction() * retryMsMax);
          continue;
        }
        throw over || manner === 'read' ? refusalOf(error) : unknownOutcome(error);
      }
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    try {
      let made: pg.Client | null = null;
      made = await this.#options.connect(() => {
        if (this.#client === made) this.#client = null;
      });
      this.#client = made;
      return made;
    } catch (error) {
      const why = error instanceof UnfitDatabase ? error.message : `no connection: ${messageOf(error)}`;
      throw new StoreRefused('unreachable', why);
    }
  }

  async #ask<Row extends pg.QueryResultRow>(client: pg.Client, call: LaneCall): Promise<pg.QueryResult<Row>> {
    const { clock, bounds } = this.#options;
    const late = clock.after(bounds.answerMs, () => this.#abandon(client));
    try {
      return await client.query<Row>({ ...call, values: [...call.values] });
    } finally {
      late();
    }
  }

  async #isAlive(client: pg.Client): Promise<boolean> {
    try {
      await this.#ask(client, { name: 'alive', text: 'SELECT 1', values: [] });
      return true;
    } catch {
      return false;
    }
  }

  /** Ends it without a word: whoever waits on it hears that it is gone. */
  #abandon(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }
}
