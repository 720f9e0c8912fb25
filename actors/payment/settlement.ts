/**
 * Settlement with the facilitator: a payment is presented, settled by the activity, and asked about again while its
 * outcome is unknown. Its events, decisions and effects. Pure.
 */
import { assignOn, type Effect, emitOn, guardOn, type Json, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { usd } from '../terms/usd.ts';
import { depositOf, emptyPayment, ended, type NewPayment, type PaymentState, paymentOf } from './payment-state.ts';

/** From a node, for an account that presents a signed payment. Repeats are answered from the record. */
type PaymentPay = Stamped & { readonly type: 'payment.pay'; readonly payment: NewPayment };

/** What the activity `settle` resolves with. An unknown outcome is a retriable failure of the activity. */
export type SettleResult =
  | { readonly outcome: 'settled'; readonly transaction: string }
  /** Certainly not settled. `isAsked`: settlement was asked for, so the payer's authorization has left the node. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly isAsked: boolean };

type SettleDone = Stamped & { readonly type: 'settle.done'; readonly id: string; readonly result: SettleResult };

type SettleFailed = Stamped & {
  readonly type: 'settle.failed';
  readonly id: string;
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};

/** Failure code of an attempt that ended before settlement was asked for. */
export const NOT_ASKED = 'not-asked';

/** Timer: the facilitator is asked again. `repeats` is null while settlement was never asked for. */
type PaymentAskAgain = Stamped & {
  readonly type: 'payment.ask-again';
  readonly repeats: {
    readonly key: string;
    readonly attempt: number;
    readonly failure: { readonly code: string; readonly message: string };
  } | null;
};

export type SettlementEvent =
  | PaymentPay
  | SettleDone
  | SettleFailed
  | (Stamped & { readonly type: 'settle.attempt'; readonly id: string })
  | PaymentAskAgain;

export const SETTLE_ACTIVITY = 'settle';
const ASK_AGAIN = 'payment.ask-again';

const SECOND_MS = 1_000;
/** The wait before the facilitator is asked again: at first, and at last. It doubles. */
const ASK_AGAIN_MS = { first: SECOND_MS, last: 60 * SECOND_MS } as const;
/** A payment whose outcome is still unknown this long after its authorization ended goes to an operator. */
export const UNCLEAR_AFTER_MS = 60 * 60 * SECOND_MS;

/** Input of the activity that asks the facilitator to verify and settle, or how it settled. */
export interface SettleInput {
  readonly deposit: string;
  readonly account: string;
  readonly network: string;
  readonly payer: string;
  readonly nonce: string;
  readonly payload: Json;
  readonly requirements: Json;
  readonly validBefore: number;
}

function isOwn(state: PaymentState, { payment }: PaymentPay): boolean {
  return paymentOf(state).account === payment.account;
}

/** False for another account that presents a payment whose settlement was asked for. */
function mayPresent(state: PaymentState, event: PaymentPay): boolean {
  return !state.isAsked || isOwn(state, event);
}

/** The payment is presented for the first time, or again after it failed. */
function presented(state: PaymentState, { payment, at }: PaymentPay): PaymentState {
  return {
    ...emptyPayment(state.address),
    payment: { ...payment, amount: usd(payment.amount) },
    createdAt: state.payment === null ? at : state.createdAt,
    presentations: state.presentations + 1,
    asks: 1,
  };
}

function settle(state: PaymentState): Effect & { readonly type: 'perform' } {
  const { account, network, payer, nonce, payload, requirements, validBefore } = paymentOf(state);
  if (payload === undefined || requirements === undefined) throw new Error('an ended payment is not settled again');
  const deposit = depositOf(state);
  const input = { deposit, account, network, payer, nonce, payload, requirements, validBefore } satisfies SettleInput;
  const deadlineAt = unclearAt(state);
  return { type: 'perform', name: SETTLE_ACTIVITY, id: String(state.presentations), input: plain(input), deadlineAt };
}

function unclearAt(state: PaymentState): number {
  return paymentOf(state).validBefore + UNCLEAR_AFTER_MS;
}

/** Once settlement was asked for, the next attempt first asks how that ended. */
function settleAgain(state: PaymentState, { repeats }: PaymentAskAgain): Effect {
  return repeats === null ? settle(state) : { ...settle(state), repeats };
}

/** True where settlement was asked for in no attempt. */
function isUnasked({ attempt, failure }: SettleFailed): boolean {
  return attempt === 1 && failure.code === NOT_ASKED;
}

function askAgainAt({ asks }: PaymentState, at: number): number {
  const doubled = ASK_AGAIN_MS.first * 2 ** Math.min(asks - 1, 16);
  return at + Math.min(ASK_AGAIN_MS.last, doubled);
}

function scheduleAskAgain(state: PaymentState, event: SettleFailed): Effect {
  const { key, attempt, failure } = event;
  if (state.askAgainAt === null) throw new Error('a payment that waits has no time for its next question');
  const asked = { key, attempt, failure: { code: failure.code, message: failure.message } };
  const repeats = isUnasked(event) ? null : asked;
  return { type: 'schedule', name: ASK_AGAIN, at: state.askAgainAt, event: { type: ASK_AGAIN, repeats } };
}

/** The payment as settled by a transaction. */
export function settledBy(state: PaymentState, transaction: string): PaymentState {
  return { ...ended(state, null), isAsked: true, transaction, reason: null };
}

function keepTransaction(state: PaymentState, { result }: SettleDone): PaymentState {
  if (result.outcome !== 'settled') throw new Error('a refused payment has no transaction');
  return settledBy(state, result.transaction);
}

function failRefused(state: PaymentState, { result, at }: SettleDone): PaymentState {
  if (result.outcome !== 'refused') throw new Error('a settled payment is no refused one');
  return { ...ended(state, at), isAsked: result.isAsked, reason: result.reason };
}

/** The facilitator was never reached: nothing can have been settled. */
function failUnreachable(state: PaymentState, { at }: Stamped): PaymentState {
  return { ...ended(state, at), reason: 'facilitator_unreachable' };
}

/** Why an operator has to look: the outcome is unknown, or the transaction was used for another payment. */
export interface Unclear {
  readonly reason: 'unknown_outcome' | 'transaction_used';
}

export const guards = {
  isOwn: guardOn('payment.pay', isOwn),
  mayPresent: guardOn('payment.pay', mayPresent),
  isSettled: guardOn('settle.done', (_: PaymentState, { result }: SettleDone) => result.outcome === 'settled'),
  mayAskAgain: guardOn('settle.failed', (state: PaymentState, { failure, at }: SettleFailed) => {
    return failure.retriable && at < unclearAt(state);
  }),
  isUnasked: guardOn('settle.failed', (_: PaymentState, event: SettleFailed) => isUnasked(event)),
};

export const actions = {
  present: assignOn('payment.pay', presented),
  settle: emitOn('*', settle),
  settleAgain: emitOn('payment.ask-again', settleAgain),
  keepTransaction: assignOn('settle.done', keepTransaction),
  failRefused: assignOn('settle.done', failRefused),
  failUnreachable: assignOn('*', failUnreachable),
  awaitAskAgain: assignOn('*', (state: PaymentState, { at }) => ({ askAgainAt: askAgainAt(state, at) })),
  scheduleAskAgain: emitOn('settle.failed', scheduleAskAgain),
  countAsk: assignOn('*', ({ asks }: PaymentState) => ({ asks: asks + 1, askAgainAt: null })),
  leaveToOperator: assignOn('*', (_: PaymentState, __, { reason }: Unclear) => {
    return { isAsked: true, reason, askAgainAt: null };
  }),
};
