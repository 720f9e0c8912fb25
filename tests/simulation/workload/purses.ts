import { ownerOf } from '../../../actors/runtime/index.ts';
import type { PurseSum } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';

const PURSES_PER_OWNER = 3;
const FILLED = 1_000;
const AMOUNT_MAX = 300;
const ASK_MS = 2_000;

/** Moves money between purses of one owner: one cascade, all or nothing. */
export class Purses {
  readonly sums: PurseSum[] = [];
  readonly #owners: readonly string[];
  readonly #history: History;
  readonly #database: Database;
  #open = false;

  constructor(owners: number, history: History, database: Database) {
    this.#owners = Array.from({ length: owners }, (_, i) => `owner${i}`);
    this.#history = history;
    this.#database = database;
  }

  get addresses(): readonly string[] {
    return this.#owners.flatMap((owner) => this.#pursesOf(owner));
  }

  /** Setup, before any fault: every purse gets the same amount. */
  async fill(client: Client): Promise<void> {
    for (const purse of this.addresses) {
      await client.node.ask(purse, { type: 'fill', amount: FILLED }, { withinMs: 30_000 });
    }
    this.#open = true;
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const purses = this.#pursesOf(dice.pick(this.#owners));
    const from = dice.pick(purses);
    const to = dice.pick(purses.filter((purse) => purse !== from));
    const event = { type: 'pay', to, amount: dice.whole(1, AMOUNT_MAX) };
    this.#history.note('pay', { from, ...event, client: client.name });
    const ending = await endingOf(client.node.ask(from, event, { withinMs: ASK_MS }));
    this.#history.note(`pay ${ending.type}`, { from, to, ...ending });
  }

  /** Called when a commit touched a purse, of this workload or of another. */
  committed(address: string): void {
    const owner = ownerOf(address);
    if (!this.#open || !this.#owners.includes(owner)) return;
    const sum = this.#pursesOf(owner).reduce((total, purse) => total + this.#amountIn(purse), 0);
    const expected = PURSES_PER_OWNER * FILLED;
    this.sums.push({ at: this.#database.scheduler.now, owner, sum, expected });
  }

  #pursesOf(owner: string): readonly string[] {
    return Array.from({ length: PURSES_PER_OWNER }, (_, i) => `purse:${owner}/p${i}`);
  }

  #amountIn(purse: string): number {
    const actor = this.#database.tables.loadActor(purse)?.actor;
    if (actor === undefined) return 0;
    return (JSON.parse(actor.snapshot) as { context: { amount: number } }).context.amount;
  }
}
