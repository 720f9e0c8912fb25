/** Complete payments for tests, with defaults for all but the essential members. */
import type { NewPayment } from '../../../actors/payment/payment-state.ts';
import { paymentAddress, paymentDepositId } from '../../../actors/terms/payment.ts';
import { START } from './words.ts';

const NETWORK = 'eip155:8453';
const PAYER = `0x${'a1'.repeat(20)}`;

export function newPayment(nth: number, more: Partial<NewPayment> = {}): NewPayment {
  return {
    ...{ network: NETWORK, payer: PAYER, nonce: nonceOf(nth) },
    ...{ account: 'acct_1', key: 'key:acct_1/key_1', amount: '5' },
    payload: { signature: '0x00' },
    requirements: { amount: '5000000' },
    validBefore: START + 600_000,
    ...more,
  };
}

function nonceOf(nth: number): string {
  return `0x${nth.toString(16).padStart(64, '0')}`;
}

export function idOf(nth: number): string {
  return paymentDepositId({ network: NETWORK, payer: PAYER, nonce: nonceOf(nth) });
}

export function addressOf(nth: number): string {
  return paymentAddress(idOf(nth));
}

export const payEvent = (nth: number, more: Partial<NewPayment> = {}) => ({
  type: 'payment.pay',
  payment: newPayment(nth, more),
});
