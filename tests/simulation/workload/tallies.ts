import type { Movement } from '../../actors/example-kinds/purse.ts';
import type { AdditionRequested, Shown, TallyStored } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import { type Client, pause } from './client.ts';
import { endingOf } from './ending.ts';

/** The state of a purse: what was added, and how often. */
interface Total {
  readonly amount: number;
  readonly received: number;
}

const ASK_MS_MIN = 300;
const ASK_MS_MAX = 3_000;
const BY_MAX = 9;
/** Most repetitions of an addition of unknown outcome. */
const AGAIN_MAX = 6;

/** Deposits in purses: sent once without a retry, or repeated until acknowledged, sometimes concurrently. */
export class Tallies {
  readonly additions: AdditionRequested[] = [];
  readonly shown: Shown[] = [];
  readonly addresses: readonly string[];
  readonly #history: History;
  readonly #database: Database;

  constructor(count: number, history: History, database: Database) {
    this.addresses = Array.from({ length: count }, (_, i) => `purse:t${i}`);
    this.#history = history;
    this.#database = database;
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const addition: AdditionRequested = {
      address: dice.pick(this.addresses),
      op: `a${this.additions.length + 1}`,
      by: dice.whole(1, BY_MAX),
      outcome: 'unknown',
    };
    this.additions.push(addition);
    if (dice.happens(0.4)) await this.#once(client, addition);
    else await this.#surely(client, addition);
  }

  async #once(client: Client, addition: AdditionRequested): Promise<void> {
    addition.outcome = await this.#send(client, addition, true, false);
  }

  /** Sends it until it is acknowledged; sometimes two copies at once. */
  async #surely(client: Client, addition: AdditionRequested): Promise<void> {
    let outcome = await this.#send(client, addition, false, false);
    for (let again = 0; again < AGAIN_MAX && outcome === 'unknown'; again++) {
      await pause(client, client.dice.between(10, 800));
      outcome = await this.#send(client, addition, false, true);
      // After an unknown outcome, a definite failure of the repetition does not settle the first attempt.
      if (outcome === 'fail') outcome = 'unknown';
    }
    addition.outcome = outcome;
    if (outcome === 'ok' && client.dice.happens(0.3)) {
      const twice = [this.#send(client, addition, false, true), this.#send(client, addition, false, true)];
      await Promise.all(twice);
    }
  }

  async #send(
    client: Client,
    { address, op, by }: AdditionRequested,
    once: boolean,
    repeat: boolean,
  ): Promise<AdditionRequested['outcome']> {
    const event = { type: 'deposit', id: op, amount: by, once };
    this.#history.note('add', { address, op, by, once, repeat, client: client.name });
    const asked = client.node.ask(address, event, {
      withinMs: client.dice.between(ASK_MS_MIN, ASK_MS_MAX),
      ...(once ? {} : { repeat: (sent) => sent }),
    });
    const ending = await endingOf(asked);
    if (ending.type === 'ok')
      this.#succeeded(address, op, ending.body as unknown as Total & { readonly repeated: boolean });
    else this.#history.note(`add ${ending.type}`, { address, op, code: ending.code });
    return ending.type;
  }

  #succeeded(
    address: string,
    op: string,
    { amount, received: count, repeated }: Total & { readonly repeated: boolean },
  ): void {
    const stored = this.#stored(address);
    this.shown.push({
      at: this.#database.scheduler.now,
      what: 'answer to add',
      address,
      count,
      stored: stored.received,
    });
    this.#history.note('add ok', { address, op, amount, count, repeated });
    if (repeated) this.#history.saw('duplicate command dropped');
  }

  stored(): readonly TallyStored[] {
    return this.addresses.map((address) => {
      const rows = this.#database.tables.query({ collection: 'movement', address, limit: 1_000 });
      const additions = rows.map((row) => {
        const { id: op, amount: by, times } = JSON.parse(row.body) as Movement;
        return { op, by, times };
      });
      return { address, total: this.#stored(address).amount, additions };
    });
  }

  #stored(address: string): Total {
    const actor = this.#database.tables.loadActor(address)?.actor;
    if (actor === undefined) return { amount: 0, received: 0 };
    return (JSON.parse(actor.snapshot) as { context: Total }).context;
  }
}
