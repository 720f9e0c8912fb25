/** The effects of a payment. Pure; the chart decides when they apply. */
import type { Effect, Json } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain } from '../terms/chart-tools.ts';
import { accountAddress } from '../terms/ids.ts';
import { paymentDepositId, transactionAddress } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';
import type { Refusal, RefusedAnswer } from '../terms/refusal.ts';
import { NOT_ASKED, type PaymentAskAgain, type PaymentResolve, type SettleFailed } from './events.ts';
import { PAYMENT, type PaymentRecord, type PaymentStatus } from './payment-record.ts';
import { type PaymentState, paymentOf } from './payment-state.ts';

export const SETTLE_ACTIVITY = 'settle';
const ASK_AGAIN = 'payment.ask-again';
const FORGET = 'payment.forget';

const SECOND_MS = 1_000;
/** The wait before the facilitator is asked again: at first, and at last. It doubles. */
const ASK_AGAIN_MS = { first: SECOND_MS, last: 60 * SECOND_MS } as const;
/** A payment whose outcome is still unknown this long after its authorization ended goes to an operator. */
export const UNCLEAR_AFTER_MS = 60 * 60 * SECOND_MS;
/** How long a failed payment is shown. */
export const FAILED_SHOWN_MS = 30 * 24 * 3_600 * SECOND_MS;

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

export function settle(state: PaymentState): Effect & { readonly type: 'perform' } {
  const { account, network, payer, nonce, payload, requirements, validBefore } = paymentOf(state);
  if (payload === undefined || requirements === undefined) throw new Error('an ended payment is not settled again');
  const deposit = depositOf(state);
  const input = { deposit, account, network, payer, nonce, payload, requirements, validBefore } satisfies SettleInput;
  const deadlineAt = unclearAt(state);
  return { type: 'perform', name: SETTLE_ACTIVITY, id: String(state.presentations), input: plain(input), deadlineAt };
}

/** Once settlement was asked for, the next attempt first asks how that ended. */
export function settleAgain(state: PaymentState, { repeats }: PaymentAskAgain): Effect {
  return repeats === null ? settle(state) : { ...settle(state), repeats };
}

/** True where settlement was asked for in no attempt. */
export function isUnasked({ attempt, failure }: SettleFailed): boolean {
  return attempt === 1 && failure.code === NOT_ASKED;
}

export function unclearAt(state: PaymentState): number {
  return paymentOf(state).validBefore + UNCLEAR_AFTER_MS;
}

export function askAgainAt({ asks }: PaymentState, at: number): number {
  const doubled = ASK_AGAIN_MS.first * 2 ** Math.min(asks - 1, 16);
  return at + Math.min(ASK_AGAIN_MS.last, doubled);
}

export function scheduleAskAgain(state: PaymentState, event: SettleFailed): Effect {
  const { key, attempt, failure } = event;
  if (state.askAgainAt === null) throw new Error('a payment that waits has no time for its next question');
  const asked = { key, attempt, failure: { code: failure.code, message: failure.message } };
  const repeats = isUnasked(event) ? null : asked;
  return { type: 'schedule', name: ASK_AGAIN, at: state.askAgainAt, event: { type: ASK_AGAIN, repeats } };
}

/** Asks the transaction to credit the account. */
export function claim(state: PaymentState): Effect {
  const { network, payer, account, amount, key } = paymentOf(state);
  const { transaction } = state;
  if (transaction === null) throw new Error('a payment without a transaction credits nothing');
  const source = { rail: 'x402', network, payer, transaction };
  const by = { kind: 'key', id: key } satisfies Principal;
  const event = { type: 'transaction.claim', deposit: depositOf(state), account, amount, source, by };
  return { type: 'send', to: transactionAddress(network, transaction), event };
}

export function recordOf(state: PaymentState, status: PaymentStatus): PaymentRecord {
  const { account, amount, network, payer } = paymentOf(state);
  const { transaction, reason, createdAt, endedAt, balance } = state;
  const id = depositOf(state);
  return { id, account, status, amount, network, payer, transaction, reason, createdAt, endedAt, balance };
}

export function put(state: PaymentState, status: PaymentStatus): Effect {
  const record = recordOf(state, status);
  return { type: 'put', collection: PAYMENT, id: record.id, body: plain(record) };
}

export function answer(state: PaymentState, status: PaymentStatus): Effect {
  return { type: 'reply', body: plain(recordOf(state, status)) };
}

/** Which account used the payment is not told. */
export function refuseUsed(): Effect {
  const message = 'This payment was presented before; sign a new one';
  const refusal: Refusal = { status: 402, type: 'payment_required', message, metadata: { reason: 'payment_used' } };
  return { type: 'refuse', body: plain({ refusal } satisfies RefusedAnswer) };
}

export function scheduleForget(at: number): Effect {
  return { type: 'schedule', name: FORGET, at: at + FAILED_SHOWN_MS, event: { type: FORGET } };
}

export function cancelForget(): Effect {
  return { type: 'cancel', name: FORGET };
}

export function forget(state: PaymentState): Effect[] {
  return [{ type: 'remove', collection: PAYMENT, id: depositOf(state) }, { type: 'stop' }];
}

function depositOf(state: PaymentState): string {
  return paymentDepositId(paymentOf(state));
}

/** The decision of an operator is an entry of the account's audit log. */
export function recordResolve(state: PaymentState, { transaction, reason, by }: PaymentResolve): Effect {
  const { account, amount } = paymentOf(state);
  const detail = { amount, transaction, reason };
  return recordAudit(accountAddress(account), { action: 'payment.resolve', target: depositOf(state), by, detail });
}

export function refuseResolve(): Effect {
  const message = 'Only a payment in review can be resolved';
  return { type: 'refuse', body: plain({ refusal: { status: 409, type: 'conflict', message } satisfies Refusal }) };
}
