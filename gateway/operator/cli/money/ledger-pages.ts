import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import type { OperatorClient } from '../../../../actors/runtime/inspect/client.ts';
import { timeOf } from '../frame/print.ts';

/** Rows that one read of the store returns. */
const PAGE_ROWS_MAX = 1_000;

export const LEDGER_COLUMNS = ['entry', 'at', 'type', 'from', 'to', 'amount_usd', 'balance_usd', 'key', 'reference'];

/** Every entry of an account's ledger, oldest first, page by page: a ledger has no bound. `address` is the account's. */
export async function* ledgerPages(
  operator: Pick<OperatorClient, 'rows'>,
  address: string,
): AsyncIterable<readonly LedgerEntry[]> {
  const query = { collection: 'ledger', address, limit: PAGE_ROWS_MAX } as const;
  let page = await operator.rows(query);
  while (page.length > 0) {
    yield page.map(({ body }) => JSON.parse(body) as LedgerEntry);
    const { sort, id } = page.at(-1) as (typeof page)[number];
    page = page.length < PAGE_ROWS_MAX ? [] : await operator.rows({ ...query, after: { sort, id } });
  }
}

/** The entry under these columns. */
export function ledgerCells({ sequence, at, type, from, to, amount, balance, key, ref }: LedgerEntry): string[] {
  return [String(sequence), timeOf(at) ?? '', type, from, to, amount, balance, key?.replace(/^key:/, '') ?? '', ref];
}
