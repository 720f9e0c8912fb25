import type { PaidIn } from '../../../actors/account/deposits.ts';
import type { PaymentRecord } from '../../../actors/payment/payment-state.ts';
import { exactNumber } from '../wire/exact-json.ts';

/** A deposit as the API shows it: a ledger entry, or a payment that has none yet. */
export interface Deposit {
  readonly id: string;
  /** Its place in the list: store time of the credit, or of the presentation. */
  readonly at: number;
  readonly object: object;
}

/** A deposit of the account's ledger. */
export function creditedDeposit({ id, amount, reason, at, balance, source }: PaidIn): Deposit {
  return {
    ...{ id, at },
    object: {
      ...{ id, object: 'deposit', rail: source?.rail ?? 'operator', status: 'credited', currency: 'USD' },
      ...{ amount: exactNumber(amount), balance: exactNumber(balance), reason },
      ...{ created_at: iso(at), credited_at: iso(at) },
      network: source?.network ?? null,
      payer: source?.payer ?? null,
      transaction: source?.transaction ?? null,
    },
  };
}

/** A payment that is not in the ledger. */
export function uncreditedDeposit(record: PaymentRecord): Deposit {
  const { id, status, amount, reason, createdAt, network, payer, transaction } = record;
  return {
    ...{ id, at: createdAt },
    object: {
      ...{ id, object: 'deposit', rail: 'x402', status, currency: 'USD' },
      ...{ amount: exactNumber(amount), balance: null, reason },
      ...{ created_at: iso(createdAt), credited_at: null, network, payer, transaction },
    },
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
