import type { Collection } from '../runtime/index.ts';

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
/** Index columns: the account while it has no credit of this payment, and the status of what is not over. */
export const PAYMENT_ACCOUNT = 0;
export const PAYMENT_OPEN = 1;

/** Credited payments are listed as deposits of their account. */
export const paymentCollection: Collection = {
  sort: (row: PaymentRecord) => row.createdAt,
  index: [
    (row: PaymentRecord) => (row.status === 'credited' ? null : row.account),
    (row: PaymentRecord) => (row.status === 'pending' || row.status === 'review' ? row.status : null),
  ],
};
