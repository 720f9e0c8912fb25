/** The payment kind and its client functions. Refusals are results, not errors. */
import type { Cluster, Json, Kind, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { paymentAddress, paymentDepositId } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { paymentMachine } from './payment.machine.ts';
import type { NewPayment, PaymentState } from './payment-state.ts';
import {
  PAYMENT,
  PAYMENT_ACCOUNT,
  PAYMENT_STATUS,
  type PaymentRecord,
  type PaymentStatus,
  paymentCollection,
} from './payment-state.ts';
import { SETTLE_ACTIVITY } from './settlement.ts';

export const paymentKind: Kind = {
  name: 'payment',
  machine: paymentMachine,
  version: 1,
  creates: ['payment.pay'],
  finishes: ['payment.credited', 'transaction.taken'],
  volatile: ['payment.show'],
  activities: [SETTLE_ACTIVITY],
  collections: { [PAYMENT]: paymentCollection },
  history: EVERY_STEP,
  explain,
  redact,
};

/** The payload has the payer's signature, which settles the payment wherever it is presented. */
function redact(context: Json): Json {
  const { payment, ...state } = context as unknown as PaymentState;
  if (payment === null) return context;
  const { payload: _, ...known } = payment;
  return plain({ ...state, payment: known });
}

function explain({ state, context, now }: View): readonly string[] {
  const { payment, transaction, reason, askAgainAt } = context as unknown as PaymentState;
  if (payment === null) return ['The payment is being presented.'];
  const what = `${payment.amount} USD for account:${payment.account}, paid by ${payment.payer} on ${payment.network}`;
  switch (state) {
    case 'asking':
      return [`The facilitator is asked about ${what}.`];
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil(((askAgainAt ?? now) - now) / 1_000));
      return [`The outcome of ${what} is unknown; the facilitator is asked again in ${seconds} s.`];
    }
    case 'crediting':
      return [`${what}, was settled by ${transaction}; the credit is on its way.`];
    case 'credited':
      return [`${what}, was credited: transaction ${transaction}.`];
    case 'review':
      return [`Whether ${what}, was settled is not known (${reason}); resolve it with \`troupe deposits resolve\`.`];
    default:
      return [`${what}, failed: ${reason}.`];
  }
}

/** Presents a payment. Refused: 402 for a payment that another account presented. Repeats answer the record. */
export async function pay(
  cluster: Pick<Cluster, 'ask'>,
  payment: NewPayment,
  withinMs: number,
): Promise<PaymentRecord | RefusedAnswer> {
  const event = { type: 'payment.pay', payment: plain(payment) };
  const to = paymentAddress(paymentDepositId(payment));
  return ask<PaymentRecord | RefusedAnswer>(cluster, to, event, withinMs);
}

/** For an operator: names the transaction that paid, or null for none. Refused: 409 unless it is in review. */
export async function resolvePayment(
  cluster: Pick<Cluster, 'ask'>,
  deposit: string,
  found: { readonly transaction: string | null; readonly reason: string; readonly by: Principal },
  withinMs: number,
): Promise<PaymentRecord | RefusedAnswer> {
  const { transaction, reason, by } = found;
  const event = { type: 'payment.resolve', transaction, reason, by: plain(by) };
  const to = paymentAddress(deposit);
  return ask<PaymentRecord | RefusedAnswer>(cluster, to, event, withinMs);
}

/** Reads a payment from the store; null when there is none. */
export async function findPayment(cluster: Pick<Cluster, 'rows'>, deposit: string): Promise<PaymentRecord | null> {
  const row = await cluster.rows.row(paymentAddress(deposit), PAYMENT, deposit);
  return row === null ? null : (JSON.parse(row.body) as PaymentRecord);
}

/** The query of the payments of an account that it has no credit of. */
export function uncreditedOf(account: string) {
  return { collection: PAYMENT, where: { column: PAYMENT_ACCOUNT, equals: account } } as const;
}

/** The query of all payments of one status; credited ones are deposits of their accounts. */
export function paymentsOf(status: Exclude<PaymentStatus, 'credited'>) {
  return { collection: PAYMENT, where: { column: PAYMENT_STATUS, equals: status } } as const;
}
