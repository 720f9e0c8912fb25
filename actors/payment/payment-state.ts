/** The stored state of a payment. Every function is pure and returns the next state. */
import { usd } from '../terms/usd.ts';
import type { PaymentCredited, PaymentPay, PaymentResolve, SettleResult } from './events.ts';
import type { NewPayment } from './new-payment.ts';

const UNREACHABLE = 'facilitator_unreachable';

export interface PaymentState {
  readonly address: string;
  /** Null only during the step that creates the payment. Without `payload` and `requirements` once it has ended. */
  readonly payment: (Omit<NewPayment, 'payload' | 'requirements'> & Partial<NewPayment>) | null;
  readonly createdAt: number;
  /** Of the activity: the attempts of one presentation share it. */
  readonly presentations: number;
  /** Times that the facilitator was asked in this presentation. */
  readonly asks: number;
  /** True once settlement was asked for: the payer's authorization has left the node. */
  readonly isAsked: boolean;
  readonly transaction: string | null;
  /** Why it failed, or why an operator has to look: a code. */
  readonly reason: string | null;
  /** When the facilitator is asked again; null unless the payment waits. */
  readonly askAgainAt: number | null;
  readonly endedAt: number | null;
  /** The account's balance after the credit. */
  readonly balance: string | null;
}

export function emptyPayment(address: string): PaymentState {
  return {
    address,
    payment: null,
    createdAt: 0,
    presentations: 0,
    asks: 0,
    isAsked: false,
    transaction: null,
    reason: null,
    askAgainAt: null,
    endedAt: null,
    balance: null,
  };
}

export function paymentOf({ payment }: PaymentState): NonNullable<PaymentState['payment']> {
  if (payment === null) throw new Error('the payment is used before it is presented');
  return payment;
}

/** The payment is presented for the first time, or again after it failed. */
export function presented(state: PaymentState, { payment, at }: PaymentPay): PaymentState {
  const first = state.payment === null;
  return {
    ...emptyPayment(state.address),
    payment: { ...payment, amount: usd(payment.amount) },
    createdAt: first ? at : state.createdAt,
    presentations: state.presentations + 1,
    asks: 1,
  };
}

export function settled(state: PaymentState, transaction: string): PaymentState {
  return { ...ended(state, null), isAsked: true, transaction, reason: null };
}

export function refused(state: PaymentState, result: SettleResult, at: number): PaymentState {
  if (result.outcome !== 'refused') throw new Error('a settled payment is no refused one');
  return { ...ended(state, at), isAsked: result.isAsked, reason: result.reason };
}

/** The facilitator was never reached: nothing can have been settled. */
export function unasked(state: PaymentState, at: number): PaymentState {
  return { ...ended(state, at), reason: UNREACHABLE };
}

/** False for another account that presents a payment whose settlement was asked for. */
export function mayPresent(state: PaymentState, { payment }: PaymentPay): boolean {
  return !state.isAsked || isOwn(state, payment);
}

export function isOwn(state: PaymentState, { account }: Pick<NewPayment, 'account'>): boolean {
  return paymentOf(state).account === account;
}

export function unclear(state: PaymentState, reason: string): PaymentState {
  return { ...state, isAsked: true, reason, askAgainAt: null };
}

export function waiting(state: PaymentState, askAgainAt: number): PaymentState {
  return { ...state, askAgainAt };
}

export function asking(state: PaymentState): PaymentState {
  return { ...state, asks: state.asks + 1, askAgainAt: null };
}

export function credited(state: PaymentState, { balance, at }: PaymentCredited): PaymentState {
  return { ...state, balance, endedAt: at };
}

/** An operator has found out that nothing was paid. */
export function resolvedUnpaid(state: PaymentState, { reason, at }: PaymentResolve): PaymentState {
  return { ...ended(state, at), reason };
}

/** The signed payload is dropped: nothing may be asked with it again. */
function ended(state: PaymentState, endedAt: number | null): PaymentState {
  const { payload: _, requirements: __, ...kept } = paymentOf(state);
  return { ...state, payment: kept, askAgainAt: null, endedAt };
}
