/** A payment that credits an account: its names outside, and the ids that follow from them. */
import { createHash } from 'node:crypto';

/** The payment behind a deposit. */
export interface DepositSource {
  readonly rail: 'x402';
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  readonly payer: string;
  readonly transaction: string;
}

/** The name of a signed authorization: its network accepts each nonce of a payer once. */
export interface PaymentName {
  readonly network: string;
  readonly payer: string;
  readonly nonce: string;
}

/** The id of the payment's deposit: `dep_` and 40 hex digits, derived from its name. Letter case does not count. */
export function paymentDepositId({ network, payer, nonce }: PaymentName): string {
  return `dep_${digest(['payment', network, payer, nonce])}`;
}

/** Its owner is the payment, not an account: two accounts that present the same payment reach the same actor. */
export function paymentAddress(deposit: string): string {
  return `payment:${deposit}`;
}

/** The actor that gives a transaction of a network to one payment. */
export function transactionAddress(network: string, transaction: string): string {
  return `transaction:tx_${digest(['transaction', network, transaction])}`;
}

/** True for text with the shape of the id of a payment's deposit; any other text names no payment. */
export function isPaymentDepositId(text: string): boolean {
  return /^dep_[0-9a-f]{40}$/.test(text);
}

function digest(parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part.toLowerCase())))
    .digest('hex')
    .slice(0, 40);
}
