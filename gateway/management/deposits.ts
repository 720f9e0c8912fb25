/** Money in: the credited deposits of an account's ledger, and the payments that are not in it. */
import type { PaidIn } from '../../actors/account/deposits.ts';
import { findPayment, uncreditedOf } from '../../actors/payment/payment.ts';
import type { PaymentRecord } from '../../actors/payment/payment-state.ts';
import { accountAddress } from '../../actors/terms/ids.ts';
import { isPaymentDepositId } from '../../actors/terms/payment.ts';
import { absent, invalid } from '../terms/gateway-error.ts';
import type { ManagementServices, Tenant } from './services.ts';

/** Longer ids are not looked up. */
const ID = /^[\x21-\x7e]{1,96}$/;

export interface Deposit {
  readonly id: string;
  /** Its place in the list: store time of the credit, or of the presentation. */
  readonly at: number;
  /** A credit of the ledger, or a payment that has none yet. */
  readonly record: PaidIn | PaymentRecord;
}

export function isCredited(record: Deposit['record']): record is PaidIn {
  return !('status' in record);
}

interface DepositPage {
  readonly deposits: readonly Deposit[];
  readonly hasMore: boolean;
}

/** Newest first. Throws 400 for an `after` that is no id, 404 for one that names no deposit of this account. */
export async function listDeposits(
  services: ManagementServices,
  tenant: Tenant,
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<DepositPage> {
  const { rows } = services.cluster;
  if (after !== null && !ID.test(after)) throw invalid('after must be the id of a deposit');
  const last = after === null ? null : await requireDeposit(services, tenant, after);
  const page = {
    order: 'descending' as const,
    limit: limit + 1,
    ...(last === null ? {} : { after: { sort: last.at, id: last.id } }),
  };
  const [credited, uncredited] = await Promise.all([
    rows.rows({ collection: 'deposit', address: accountAddress(tenant.account), ...page }),
    rows.rows({ ...uncreditedOf(tenant.account), ...page }),
  ]);
  const merged = new Map<string, Deposit>();
  for (const { body } of uncredited) keep(merged, ofPayment(JSON.parse(body) as PaymentRecord));
  // A payment that is being credited may be in both: the ledger is right.
  for (const { body } of credited) keep(merged, ofCredit(JSON.parse(body) as PaidIn));
  const deposits = [...merged.values()].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  return { deposits: deposits.slice(0, limit), hasMore: deposits.length > limit };
}

function keep(all: Map<string, Deposit>, deposit: Deposit): void {
  all.set(deposit.id, deposit);
}

function ofCredit(record: PaidIn): Deposit {
  return { id: record.id, at: record.at, record };
}

function ofPayment(record: PaymentRecord): Deposit {
  return { id: record.id, at: record.createdAt, record };
}

/** One deposit of the account. Throws 404, the same for an unknown id and for one of another account. */
export async function requireDeposit(
  { cluster }: ManagementServices,
  { account }: Tenant,
  id: string,
): Promise<Deposit> {
  if (!ID.test(id)) throw absent(NO_DEPOSIT, null);
  const row = await cluster.rows.row(accountAddress(account), 'deposit', id);
  if (row !== null) return ofCredit(JSON.parse(row.body) as PaidIn);
  const payment = isPaymentDepositId(id) ? await findPayment(cluster, id) : null;
  if (payment?.account !== account) throw absent(NO_DEPOSIT, null);
  return ofPayment(payment);
}

const NO_DEPOSIT = 'No such deposit';
