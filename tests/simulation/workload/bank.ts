import { createAccount, creditDeposit } from '../../../actors/account/account.ts';
import type { NewKey } from '../../../actors/key/changes.ts';
import { changeKey, createKey, editKey } from '../../../actors/key/key.ts';
import type { KeyKind } from '../../../actors/terms/principal.ts';
import { TESTER } from '../../support/tester.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';

/** A key as created; `limit` is its highest limit so far. */
export interface KeyMade {
  readonly address: string;
  readonly account: string;
  readonly kind: KeyKind;
  readonly limit: string | null;
  readonly limitWindow: 'daily' | null;
}

interface Deposit {
  readonly id: string;
  readonly account: string;
  readonly amount: string;
  acknowledged: boolean;
}

const SETUP_MS = 30_000;
const ASK_MS_MAX = 4_000;
const LIMIT = '0.06';
const RATE_LIMITED = 6;

/** The keys of each account: one without a limit, one with a lifetime limit, one with a daily limit, one management key, one with a rate limit. */
const KEYS: readonly Partial<NewKey>[] = [
  {},
  { limit: LIMIT },
  { limit: LIMIT, limitWindow: 'daily' },
  { kind: 'management' },
  { perMinute: RATE_LIMITED },
];

/** Accounts, their keys and deposits; some deposits are sent several times under one id. */
export class Bank {
  readonly accounts: readonly string[];
  readonly keys: readonly KeyMade[];
  readonly deposits: Deposit[] = [];
  readonly #history: History;
  readonly #database: Database;

  constructor(accounts: number, history: History, database: Database) {
    this.#history = history;
    this.#database = database;
    this.accounts = Array.from({ length: accounts }, (_, i) => `account:acct_${i}`);
    this.keys = this.accounts.flatMap((account, i) =>
      KEYS.map((made, k): KeyMade => {
        const { kind = 'inference', limit = null, limitWindow = null } = made;
        const window = limitWindow === 'daily' ? limitWindow : null;
        return { address: `key:acct_${i}/key_${k}`, account, kind, limit, limitWindow: window };
      }),
    );
  }

  /** Setup, before any fault. */
  async open(client: Client): Promise<void> {
    for (const account of this.accounts) {
      await createAccount(client.node, account, 'simulated', SETUP_MS);
      // The first account has little money, so that its holds compete.
      const first = account === this.accounts[0] ? '0.05' : '0.5';
      await this.#pay(client, this.#issue(account, first), SETUP_MS);
    }
    for (const [at, key] of this.keys.entries()) {
      const digest = at.toString(16).padStart(64, '0');
      const made = {
        handle: digest,
        name: 'k',
        kind: key.kind,
        limit: key.limit,
        limitWindow: key.limitWindow,
        by: TESTER,
      };
      const perMinute = KEYS[at % KEYS.length]?.perMinute ?? null;
      await createKey(client.node, key.address, { digest, label: 'sk', expiresAt: null, perMinute, ...made }, SETUP_MS);
    }
  }

  /** Makes a new deposit, or repeats one of unknown outcome. */
  async deposit(client: Client): Promise<void> {
    const { dice } = client;
    const again = dice.happens(0.5) && this.deposits.length > this.accounts.length;
    const amount = `0.0${dice.whole(1, 9)}${'0'.repeat(dice.whole(0, 20))}1`;
    const deposit = again ? dice.pick(this.deposits) : this.#issue(dice.pick(this.accounts), amount);
    const withinMs = dice.between(200, ASK_MS_MAX);
    const twice = dice.happens(0.3) ? [this.#pay(client, deposit, withinMs)] : [];
    await Promise.all([this.#pay(client, deposit, withinMs), ...twice]);
  }

  /** Disables or enables a key, or changes its limit. */
  async manage(client: Client): Promise<void> {
    const { dice } = client;
    const key = dice.pick(this.keys.filter((each) => each.kind === 'inference'));
    const withinMs = dice.between(200, ASK_MS_MAX);
    this.#history.note('key change', { key: key.address });
    if (key.limit !== null && dice.happens(0.4)) {
      // Never above the limit that the auditor assumes.
      const limit = dice.happens(0.5) ? '0.03' : key.limit;
      await endingOf(
        editKey(client.node, key.address, { limit, limitWindow: key.limitWindow }, { by: TESTER, withinMs }),
      );
      return;
    }
    await endingOf(changeKey(client.node, key.address, 'disable', withinMs, TESTER));
    await endingOf(changeKey(client.node, key.address, 'enable', withinMs, TESTER));
  }

  storedBalance(account: string): string {
    const actor = this.#database.tables.loadActor(account)?.actor;
    return actor === undefined ? '0' : (JSON.parse(actor.snapshot) as { context: { balance: string } }).context.balance;
  }

  #issue(account: string, amount: string): Deposit {
    const deposit = { id: `dep_${this.deposits.length + 1}`, account, amount, acknowledged: false };
    this.deposits.push(deposit);
    return deposit;
  }

  async #pay(client: Client, deposit: Deposit, withinMs: number): Promise<void> {
    const { account, id, amount } = deposit;
    this.#history.note('deposit', { account, id, amount, client: client.name });
    const ending = await endingOf(creditDeposit(client.node, account, { id, amount, by: TESTER }, withinMs));
    this.#history.note(`deposit ${ending.type}`, { id, now: this.#database.now() });
    if (ending.type !== 'ok') return;
    deposit.acknowledged = true;
    if (ending.body.repeated) this.#history.saw('duplicate deposit dropped');
  }
}
