import type { PaidIn } from '../../../actors/account/deposits.ts';
import type { PaymentRecord } from '../../../actors/payment/payment-state.ts';

/** What a run recorded about payments by x402. */
export interface PaymentEvidence {
  /** Every payment that a client has signed and presented, however often. */
  readonly presented: readonly PaymentSeen[];
  /** What the facilitator settled, by its own ledger. */
  readonly settled: readonly SettledSeen[];
  /** Rows after the run: deposits with the address of their account, and payments. */
  readonly deposits: readonly (PaidIn & { readonly address: string })[];
  readonly payments: readonly PaymentRecord[];
  /** Atomic units of the coin in one dollar, as a power of ten. */
  readonly decimals: number;
}

export interface PaymentSeen {
  /** Address of the account that presented it. */
  readonly account: string;
  readonly payer: string;
  readonly nonce: string;
  /** USD. */
  readonly amount: string;
  /** Answers by status; 0: the outcome is unknown. */
  readonly statuses: readonly number[];
  /** The ids of deposits and the balances that answers named as credited. */
  readonly credited: readonly { readonly id: string; readonly balance: string }[];
}

export interface SettledSeen {
  readonly network: string;
  readonly payer: string;
  readonly nonce: string;
  readonly transaction: string;
  /** Atomic units. */
  readonly amount: string;
}
