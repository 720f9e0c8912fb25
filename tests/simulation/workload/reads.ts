import { showAccount } from '../../../actors/account/account.ts';
import { countRequest, showKey } from '../../../actors/key/key.ts';
import { shardOf } from '../../../actors/runtime/index.ts';
import type { AccountRead, KeyUsage } from '../../support/auditor/evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Bank } from './bank.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';

const ASK_MS = 3_000;
const PER_MINUTE = 1_000_000;

/** Reads accounts and keys from every node: a value once read must not be undone. */
export class Reads {
  readonly reads: AccountRead[] = [];
  readonly #bank: Bank;
  readonly #history: History;
  readonly #database: Database;

  constructor(bank: Bank, history: History, database: Database) {
    this.#bank = bank;
    this.#history = history;
    this.#database = database;
  }

  async act(client: Client): Promise<void> {
    const { dice, node } = client;
    if (dice.happens(0.2)) {
      const key = dice.pick(this.#bank.keys);
      await endingOf(countRequest(node, key.address, { perMinute: PER_MINUTE, withinMs: ASK_MS }));
      return;
    }
    await this.read(client, dice.pick(this.#bank.accounts));
  }

  async read({ node, name }: Client, account: string): Promise<AccountRead | null> {
    const at = this.#database.scheduler.now;
    const ending = await endingOf(showAccount(node, account, ASK_MS));
    if (ending.type !== 'ok') return null;
    const { charges: used, deposits: deposited } = ending.body;
    const shard = shardOf(account, this.#database.shardCount);
    const read = { account, shard, node: name, at, endAt: this.#database.scheduler.now, used, deposited };
    this.reads.push(read);
    this.#history.note('account read', read);
    return read;
  }

  /** The final values of every key once the run is quiet; null if one does not answer. */
  async usages({ node }: Client): Promise<readonly KeyUsage[] | null> {
    const usages: KeyUsage[] = [];
    for (const { address } of this.#bank.keys) {
      const ending = await endingOf(showKey(node, address, ASK_MS));
      if (ending.type !== 'ok') return null;
      const { usage, usageDaily, held } = ending.body;
      usages.push({ key: address, at: this.#database.now(), usage, usageDaily, held });
    }
    return usages;
  }
}
