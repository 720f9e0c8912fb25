/** The stored state of a payment, and its row. Pure. */
import { type Collection, type Effect, emitOn, guardOn, type Json, type Stamped } from '../runtime/index.ts';
import { plain, refuse, reply } from '../terms/chart-tools.ts';
import { type PaymentName, paymentDepositId } from '../terms/payment.ts';

/** A signed payment as a node received and checked it. */
export interface NewPayment extends PaymentName {
  /** Account id and address of the key that presented it. */
  readonly account: string;
  readonly key: string;
  /** What the account is credited, exact decimal USD. */
  readonly amount: string;
  /** The signed payload and the requirements it accepts, as the facilitator receives them. */
  readonly payload: Json;
  readonly requirements: Json;
  /** Store time after which the network accepts the authorization no more, ms. */
  readonly validBefore: number;
}

/**
 * - `pending`: the facilitator is being asked, or the account's credit is on its way.
 * - `review`: whether it was settled cannot be found out from here; an operator has to resolve it.
 */
export const PAYMENT_STATUSES = ['pending', 'credited', 'failed', 'review'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The row of a payment, and what its actor answers. Never the signed payload. */
export interface PaymentRecord {
  /** Id of the deposit. */
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  readonly status: PaymentStatus;
  readonly amount: string;
  readonly network: string;
  readonly payer: string;
  readonly transaction: string | null;
  readonly reason: string | null;
  /** Store times, ms. */
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly balance: string | null;
}

export const PAYMENT = 'payment';
/** Index columns: the account, and the status; both null once the payment is credited. */
export const PAYMENT_ACCOUNT = 0;
export const PAYMENT_STATUS = 1;

/** Credited payments are listed as deposits of their account. */
export const paymentCollection: Collection = {
  sort: (row: PaymentRecord) => row.createdAt,
  index: [
    (row: PaymentRecord) => (row.status === 'credited' ? null : row.account),
    (row: PaymentRecord) => (row.status === 'credited' ? null : row.status),
  ],
};

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

export function depositOf(state: PaymentState): string {
  return paymentDepositId(paymentOf(state));
}

/** Drops the signed payload: nothing may be asked with it again. */
export function ended(state: PaymentState, endedAt: number | null): PaymentState {
  const { payload: _, requirements: __, ...kept } = paymentOf(state);
  return { ...state, payment: kept, askAgainAt: null, endedAt };
}

/** The status that a state of the chart is shown as. */
interface InStatus {
  readonly status: PaymentStatus;
}

function recordOf(state: PaymentState, { status }: InStatus): PaymentRecord {
  const { account, amount, network, payer } = paymentOf(state);
  const { transaction, reason, createdAt, endedAt, balance } = state;
  const id = depositOf(state);
  return { id, account, status, amount, network, payer, transaction, reason, createdAt, endedAt, balance };
}

function putPayment(state: PaymentState, _: Stamped, as: InStatus): Effect {
  const record = recordOf(state, as);
  return { type: 'put', collection: PAYMENT, id: record.id, body: plain(record) };
}

/** The answer does not reveal which account used the payment. */
function refuseUsed(): Effect {
  const message = 'This payment was presented before; sign a new one';
  return refuse({ status: 402, type: 'payment_required', message, metadata: { reason: 'payment_used' } });
}

const FORGET = 'payment.forget';
/** How long a failed payment is shown. */
export const FAILED_SHOWN_MS = 30 * 24 * 3_600_000;

function forget(state: PaymentState): Effect[] {
  return [{ type: 'remove', collection: PAYMENT, id: depositOf(state) }, { type: 'stop' }];
}

export const guards = {
  isNew: guardOn('*', ({ payment }: PaymentState) => payment === null),
};

export const actions = {
  put: emitOn('*', putPayment),
  answer: emitOn('*', (state: PaymentState, _, as: InStatus) => reply(recordOf(state, as))),
  refuseUsed: emitOn('*', refuseUsed),
  scheduleForget: emitOn('*', (_: PaymentState, { at }) => {
    return { type: 'schedule', name: FORGET, at: at + FAILED_SHOWN_MS, event: { type: FORGET } };
  }),
  cancelForget: emitOn('*', () => ({ type: 'cancel', name: FORGET })),
  forget: emitOn('*', forget),
};
