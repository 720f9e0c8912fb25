import type { PaidIn } from '../../../actors/account/deposits.ts';
import { findPayment, uncreditedOf } from '../../../actors/payment/payment.ts';
import type { PaymentRecord } from '../../../actors/payment/payment-state.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { isPaymentDepositId } from '../../../actors/terms/payment.ts';
import { creditedDeposit, type Deposit, uncreditedDeposit } from './deposit-object.ts';

export interface DepositPage {
  readonly deposits: readonly Deposit[];
  readonly hasMore: boolean;
}

/**
 * Deposits of an account, newest first: the credited ones of its ledger, and the payments that are not in it. Null:
 * `after` names no deposit of this account.
 */
export async function listDeposits(
  cluster: Pick<Cluster, 'rows'>,
  account: string,
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<DepositPage | null> {
  const last = after === null ? null : await findDeposit(cluster, account, after);
  if (after !== null && last === null) return null;
  const page = {
    order: 'descending' as const,
    limit: limit + 1,
    ...(last === null ? {} : { after: { sort: last.at, id: last.id } }),
  };
  const [credited, uncredited] = await Promise.all([
    cluster.rows.rows({ collection: 'deposit', address: accountAddress(account), ...page }),
    cluster.rows.rows({ ...uncreditedOf(account), ...page }),
  ]);
  const merged = new Map<string, Deposit>();
  for (const { body } of uncredited) keep(merged, uncreditedDeposit(JSON.parse(body) as PaymentRecord));
  // A payment that is being credited may be in both: the ledger is right.
  for (const { body } of credited) keep(merged, creditedDeposit(JSON.parse(body) as PaidIn));
  const deposits = [...merged.values()].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  return { deposits: deposits.slice(0, limit), hasMore: deposits.length > limit };
}

function keep(all: Map<string, Deposit>, deposit: Deposit): void {
  all.set(deposit.id, deposit);
}

/** One deposit of the account; null for any other id. */
export async function findDeposit(
  cluster: Pick<Cluster, 'rows'>,
  account: string,
  id: string,
): Promise<Deposit | null> {
  const row = await cluster.rows.row(accountAddress(account), 'deposit', id);
  if (row !== null) return creditedDeposit(JSON.parse(row.body) as PaidIn);
  const payment = isPaymentDepositId(id) ? await findPayment(cluster, id) : null;
  return payment?.account === account ? uncreditedDeposit(payment) : null;
}
