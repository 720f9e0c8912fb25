/** The events of a payment and of a transaction as their charts receive them. */
import type { Stamped } from '../runtime/index.ts';
import type { DepositSource } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';
import type { NewPayment } from './new-payment.ts';

/** From a node, for an account that presents a signed payment. Repeats are answered from the record. */
export type PaymentPay = Stamped & { readonly type: 'payment.pay'; readonly payment: NewPayment };

/** What the activity `settle` resolves with. An unknown outcome is a retriable failure of the activity. */
export type SettleResult =
  | { readonly outcome: 'settled'; readonly transaction: string }
  /** Certainly not settled. `isAsked`: settlement was asked for, so the payer's authorization has left the node. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly isAsked: boolean };

export type SettleDone = Stamped & {
  readonly type: 'settle.done';
  readonly id: string;
  readonly result: SettleResult;
};

export type SettleFailed = Stamped & {
  readonly type: 'settle.failed';
  readonly id: string;
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};

/** Failure code of an attempt that ended before settlement was asked for. */
export const NOT_ASKED = 'not-asked';

/** Timer: the facilitator is asked again. `repeats` is null while settlement was never asked for. */
export type PaymentAskAgain = Stamped & {
  readonly type: 'payment.ask-again';
  readonly repeats: {
    readonly key: string;
    readonly attempt: number;
    readonly failure: { readonly code: string; readonly message: string };
  } | null;
};

/** From the account: the deposit is in its ledger. */
export type PaymentCredited = Stamped & { readonly type: 'payment.credited'; readonly balance: string };

/** From the transaction: another payment was credited with it. */
export type TransactionTaken = Stamped & { readonly type: 'transaction.taken' };

/** From an operator who has looked at the network: the transaction that paid, or null for none. */
export type PaymentResolve = Stamped & {
  readonly type: 'payment.resolve';
  readonly transaction: string | null;
  readonly reason: string;
  readonly by?: Principal;
};

export type PaymentEvent =
  | PaymentPay
  | SettleDone
  | SettleFailed
  | (Stamped & { readonly type: 'settle.attempt'; readonly id: string })
  | PaymentAskAgain
  | PaymentCredited
  | TransactionTaken
  | PaymentResolve
  | (Stamped & { readonly type: 'payment.show' })
  /** Timer: a failed payment is no longer shown. */
  | (Stamped & { readonly type: 'payment.forget' });

/** From a payment: credits its account unless the transaction has credited another payment. */
export type TransactionClaim = Stamped & {
  readonly type: 'transaction.claim';
  readonly deposit: string;
  readonly account: string;
  readonly amount: string;
  readonly source: DepositSource;
  /** Who presented the payment, or who resolved it. */
  readonly by: Principal;
};

export type TransactionEvent = TransactionClaim;
