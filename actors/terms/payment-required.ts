import type { Refusal } from './refusal.ts';
import { isNegative } from './usd.ts';

/** Exact decimal USD: the most that the turn may cost, and the amount that can be spent. */
export interface Shortfall {
  readonly required: string;
  readonly available: string;
}

/** 402. The scope names the exhausted limit (decision: scope `account` or `key`). */
export function paymentRequired(scope: 'account' | 'key', shortfall: Shortfall): Refusal {
  const available = isNegative(shortfall.available) ? '0' : shortfall.available;
  const credit =
    scope === 'account'
      ? `Insufficient credit: ${available} USD is available`
      : `The spending limit of this key leaves ${available} USD`;
  return {
    status: 402,
    type: 'payment_required',
    message: `${credit} and this request may cost up to ${shortfall.required} USD`,
    metadata: { scope, required: shortfall.required, available },
  };
}
