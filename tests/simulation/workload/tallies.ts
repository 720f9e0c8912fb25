import type { Json } from '../../../actors/runtime/index.ts';
import type { AdditionRequested, Shown, TallyStored } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { Addition } from '../kinds/tally.ts';
import type { Database } from '../world/database.ts';
import { type Client, pause } from './client.ts';
import { endingOf } from './ending.ts';

interface TallyAnswer {
  readonly total: number;
  readonly count: number;
  readonly repeated: boolean;
}

const ASK_MS_MIN = 300;
const ASK_MS_MAX = 3_000;
const BY_MAX = 9;
/** Most repetitions of an addition of unknown outcome. */
const AGAIN_MAX = 6;

/** Adds to tallies: sent once without a retry, or repeated until acknowledged, sometimes concurrently. */
export class Tallies {
  readonly additions: AdditionRequested[] = [];
  readonly shown: Shown[] = [];
  readonly addresses: readonly string[];
  readonly #history: History;
  readonly #database: Database;

  constructor(count: number, history: History, database: Database) {
    this.addresses = Array.from({ length: count }, (_, i) => `tally:t${i}`);
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
    const event = { type: 'tally.add', op, by, once };
    this.#history.note('add', { address, op, by, once, repeat, client: client.name });
    const asked = client.node.ask(address, event, {
      withinMs: client.dice.between(ASK_MS_MIN, ASK_MS_MAX),
      ...(once ? {} : { repeat: (sent) => sent }),
    });
    const ending = await endingOf(asked);
    if (ending.type === 'ok') this.#succeeded(address, op, ending.body as unknown as TallyAnswer);
    else this.#history.note(`add ${ending.type}`, { address, op, code: ending.code });
    return ending.type;
  }

  #succeeded(address: string, op: string, { total, count, repeated }: TallyAnswer): void {
    const stored = this.#stored(address);
    this.shown.push({ at: this.#database.scheduler.now, what: 'answer to add', address, count, stored: stored.count });
    this.#history.note('add ok', { address, op, total, count, repeated });
    if (repeated) this.#history.saw('duplicate command dropped');
  }

  stored(): readonly TallyStored[] {
    return this.addresses.map((address) => {
      const rows = this.#database.tables.query({ collection: 'addition', address, limit: 1_000 });
      const additions = rows.map((row) => JSON.parse(row.body) as Addition);
      return { address, total: this.#stored(address).total, additions };
    });
  }

  #stored(address: string): { readonly total: number; readonly count: number } {
    const actor = this.#database.tables.loadActor(address)?.actor;
    if (actor === undefined) return { total: 0, count: 0 };
    const { context } = JSON.parse(actor.snapshot) as { context: Json };
    return context as { total: number; count: number };
  }
}
