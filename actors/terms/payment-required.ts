import type { Refusal } from './refusal.ts';
import { isNegative } from './usd.ts';

/** Exact decimal USD: the most that the turn may cost, and the amount that can be spent. */
export interface Shortfall {
  readonly required: string;
  readonly available: string;
}

/** What may be exhausted: the account's balance, the limit of the key, a budget of its workspace. */
export type PaymentScope = 'account' | 'key' | 'workspace';

/** 402. The scope names the exhausted limit. (reliability, decision 6) */
export function paymentRequired(scope: PaymentScope, shortfall: Shortfall): Refusal {
  const available = isNegative(shortfall.available) ? '0' : shortfall.available;
  return {
    status: 402,
    type: 'payment_required',
    message: `${CREDIT[scope](available)} and this request may cost up to ${shortfall.required} USD`,
    metadata: { scope, required: shortfall.required, available },
  };
}

const CREDIT: Readonly<Record<PaymentScope, (available: string) => string>> = {
  account: (available) => `Insufficient credit: ${available} USD is available`,
  key: (available) => `The spending limit of this key leaves ${available} USD`,
  workspace: (available) => `The budget of the key's workspace leaves ${available} USD`,
};
