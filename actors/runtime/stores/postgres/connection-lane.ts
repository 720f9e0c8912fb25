/**
 * One connection and its queue: calls run one at a time, in order. The next call replaces a broken connection. Failures
 * are classified as never sent, refused by the server, or outcome unknown.
 */

import type pg from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { StoreRefused } from '../../ports/store.ts';
import { UnfitDatabase } from '../migration.ts';
import type { ConnectionLaneBounds } from '../store-choice.ts';
import { isRepeatable, messageOf, refusalOf, sqlState, unknownOutcome } from './failure.ts';

/** A statement with its values, as the driver accepts it. */
export interface LaneCall {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface LaneOptions {
  readonly connect: (ended: () => void) => Promise<pg.Client>;
  readonly clock: Clock;
  readonly random: { fraction(): number };
  readonly bounds: ConnectionLaneBounds;
}

/** A read may be repeated on a new connection; a change has an unknown outcome when its connection breaks. */
export type CallKind = 'read' | 'change';

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
  call<Row extends pg.QueryResultRow>(call: LaneCall, callKind: CallKind): Promise<pg.QueryResult<Row>> {
    if (this.#closed) return Promise.reject(new StoreRefused('unreachable', 'the store is closed'));
    if (this.#waiting >= this.#options.bounds.callsMax) {
      return Promise.reject(new StoreRefused('busy', `${this.#waiting} calls wait for one connection`));
    }
    this.#waiting++;
    const answer = this.#tail.then(() => this.#callWithRetries<Row>(call, callKind)).finally(() => this.#waiting--);
    this.#tail = answer.catch(() => {});
    return answer;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Waits for queued calls, then ends the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#tail;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async #callWithRetries<Row extends pg.QueryResultRow>(
    call: LaneCall,
    callKind: CallKind,
  ): Promise<pg.QueryResult<Row>> {
    const { triesMax, retryMsMax } = this.#options.bounds;
    for (let tries = 1; ; tries++) {
      const client = await this.#connected();
      try {
        return await this.#ask<Row>(client, call);
      } catch (error) {
        // A server error is final only after the connection accepts another call: then the transaction is over.
        const over = sqlState(error) !== null && (await this.#isAlive(client));
        if (!over) this.#abandon(client);
        const again = over ? isRepeatable(error) : callKind === 'read';
        if (again && tries < triesMax) {
          await this.#pause(this.#options.random.fraction() * retryMsMax);
          continue;
        }
        throw over || callKind === 'read' ? refusalOf(error) : unknownOutcome(error);
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

  /** Destroys the socket; pending calls reject. */
  #abandon(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }
}
