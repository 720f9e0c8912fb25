/**
 * The credit of a settled payment: claimed from its transaction, recorded by the account, or decided by an operator. Its
 * events, decisions and effects. Pure.
 */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { refuse } from '../terms/chart-tools.ts';
import { accountAddress } from '../terms/ids.ts';
import { transactionAddress } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';
import { depositOf, ended, type PaymentState, paymentOf } from './payment-state.ts';
import { settledBy } from './settlement.ts';

/** From the account: the deposit is in its ledger. */
type PaymentCredited = Stamped & { readonly type: 'payment.credited'; readonly balance: string };

/** From an operator who has looked at the network: the transaction that paid, or null for none. */
type PaymentResolve = Stamped & {
  readonly type: 'payment.resolve';
  readonly transaction: string | null;
  readonly reason: string;
  readonly by: Principal;
};

export type CreditEvent =
  | PaymentCredited
  /** From the transaction: another payment was credited with it. */
  | (Stamped & { readonly type: 'transaction.taken' })
  | PaymentResolve;

/** Asks the transaction to credit the account. */
function claim(state: PaymentState): Effect {
  const { network, payer, account, amount, key } = paymentOf(state);
  const { transaction } = state;
  if (transaction === null) throw new Error('a payment without a transaction credits nothing');
  const source = { rail: 'x402', network, payer, transaction };
  const by = { kind: 'key', id: key } satisfies Principal;
  const event = { type: 'transaction.claim', deposit: depositOf(state), account, amount, source, by };
  return { type: 'send', to: transactionAddress(network, transaction), event };
}

function keepFound(state: PaymentState, { transaction }: PaymentResolve): PaymentState {
  if (transaction === null) throw new Error('an operator found no transaction');
  return settledBy(state, transaction);
}

/** An operator has found out that nothing was paid. */
function failUnpaid(state: PaymentState, { reason, at }: PaymentResolve): PaymentState {
  return { ...ended(state, at), reason };
}

/** The decision of an operator is an entry of the account's audit log. */
function recordResolve(state: PaymentState, { transaction, reason, by }: PaymentResolve): Effect {
  const { account, amount } = paymentOf(state);
  const detail = { amount, transaction, reason };
  return recordAudit(accountAddress(account), { action: 'payment.resolve', target: depositOf(state), by, detail });
}

function refuseResolve(): Effect {
  const message = 'Only a payment in review can be resolved';
  return refuse({ status: 409, type: 'conflict', message });
}

export const guards = {
  isFound: guardOn('payment.resolve', (_: PaymentState, { transaction }: PaymentResolve) => transaction !== null),
};

export const actions = {
  claim: emitOn('*', claim),
  credit: assignOn('payment.credited', (_: PaymentState, { balance, at }: PaymentCredited) => {
    return { balance, endedAt: at };
  }),
  keepFound: assignOn('payment.resolve', keepFound),
  failUnpaid: assignOn('payment.resolve', failUnpaid),
  recordResolve: emitOn('payment.resolve', recordResolve),
  refuseResolve: emitOn('*', refuseResolve),
};
