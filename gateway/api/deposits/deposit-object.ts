import { exactNumber } from '../../json/exact-json.ts';
import { type Deposit, isCredited } from '../../management/deposits.ts';

/** A deposit as the API shows it: a ledger entry, or a payment that has none yet. */
export function depositObject({ id, at, record }: Deposit): object {
  const credit = isCredited(record) ? record : null;
  const source = isCredited(record) ? record.source : record;
  const created = new Date(at).toISOString();
  return {
    id,
    object: 'deposit',
    rail: isCredited(record) ? (record.source?.rail ?? 'operator') : 'x402',
    status: isCredited(record) ? 'credited' : record.status,
    currency: 'USD',
    amount: exactNumber(record.amount),
    balance: exactNumber(credit?.balance ?? null),
    reason: record.reason,
    created_at: created,
    credited_at: credit === null ? null : created,
    network: source?.network ?? null,
    payer: source?.payer ?? null,
    transaction: source?.transaction ?? null,
  };
}
