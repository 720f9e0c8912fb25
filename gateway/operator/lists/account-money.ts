/** What an account has and holds, read from rows of the store: no account wakes for a list. */
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { LEDGER, type LedgerOpening } from '../../../actors/account/prune-ledger.ts';
import type { RowReader } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { newestOpening } from '../../../actors/terms/opening.ts';
import { add, subtract } from '../../../actors/terms/usd.ts';

/** Open holds that are read of one account: more than its requests in flight. */
const HOLDS_MAX = 1_000;

export interface AccountMoney {
  /** Exact decimal USD, here and below. */
  readonly balance: string;
  readonly held: string;
  /** What new requests can hold. */
  readonly available: string;
  /** The oldest first. */
  readonly holds: readonly Generation[];
  /** Null: none was written, or all are removed. */
  readonly newest: LedgerEntry | null;
}

/** `account` is an address. */
export async function moneyOf(rows: Pick<RowReader, 'rows'>, account: string): Promise<AccountMoney> {
  const [[last], open] = await Promise.all([
    rows.rows({ collection: LEDGER.entries, address: account, order: 'descending', limit: 1 }),
    rows.rows({ collection: 'generation', address: account, openOnly: true, limit: HOLDS_MAX }),
  ]);
  const newest = last === undefined ? null : (JSON.parse(last.body) as LedgerEntry);
  const holds = open.map(({ body }) => JSON.parse(body) as Generation);
  const balance = newest?.balance ?? (await newestOpening<LedgerOpening>(rows, LEDGER, account))?.balance ?? '0';
  const held = holds.reduce((sum, { amount }) => add(sum, amount), '0');
  return { balance, held, available: subtract(balance, held), holds, newest };
}
