import type { Movement } from '../../actors/example-kinds/purse.ts';
import type { TransferReceived, TransferRequested, WalletStored } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';

const FILLED = 1_000;
const AMOUNT_MAX = 200;
const ASK_MS = 2_000;

/** Moves money between owners: the message leaves after the commit and is applied once. */
export class Wallets {
  readonly asked: TransferRequested[] = [];
  readonly addresses: readonly string[];
  readonly #history: History;
  readonly #database: Database;

  constructor(count: number, history: History, database: Database) {
    this.addresses = Array.from({ length: count }, (_, i) => `purse:rich${i}`);
    this.#history = history;
    this.#database = database;
  }

  /** Setup, before any fault: every wallet gets the same amount. */
  async fill(client: Client): Promise<void> {
    for (const wallet of this.addresses) {
      await client.node.ask(wallet, { type: 'fill', amount: FILLED }, { withinMs: 30_000 });
    }
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const from = dice.pick(this.addresses);
    const to = dice.pick(this.addresses.filter((address) => address !== from));
    const transfer = `transfer-${this.asked.length + 1}`;
    const asked: TransferRequested = { transfer, from, to, amount: dice.whole(1, AMOUNT_MAX), outcome: 'unknown' };
    this.asked.push(asked);
    const event = { type: 'transfer', to, id: transfer, amount: asked.amount };
    this.#history.note('transfer', { ...event, from, client: client.name });
    const ending = await endingOf(client.node.ask(from, event, { withinMs: ASK_MS }));
    this.#history.note(`transfer ${ending.type}`, { transfer, ...ending });
    const sent = ending.type === 'ok' && ending.body !== 'short';
    asked.outcome = ending.type === 'ok' && !sent ? 'fail' : ending.type;
  }

  /** True when no transfer is in flight. */
  get settled(): boolean {
    return this.#database.tables.query({ collection: '$outbox', limit: 1 }).length === 0;
  }

  get filled(): number {
    return FILLED;
  }

  stored(): readonly WalletStored[] {
    return this.addresses.map((address) => ({ address, amount: this.#amountIn(address) }));
  }

  received(): readonly TransferReceived[] {
    return this.addresses.flatMap((to) =>
      this.#database.tables.query({ collection: 'movement', address: to, limit: 1_000 }).map((row) => {
        const { id: transfer, from, number, amount, times, order } = JSON.parse(row.body) as Movement;
        return { transfer, from: from ?? '', to, number: number ?? 0, amount, times, order };
      }),
    );
  }

  #amountIn(address: string): number {
    const actor = this.#database.tables.loadActor(address)?.actor;
    return actor === undefined ? 0 : (JSON.parse(actor.snapshot) as { context: { amount: number } }).context.amount;
  }
}
