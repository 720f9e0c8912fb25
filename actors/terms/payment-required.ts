import type { Refusal } from './refusal.ts';
import { isNegative } from './usd.ts';

/** Amounts in exact decimal USD: what the turn may cost at most, and what is left to spend. */
export interface Shortfall {
  readonly required: string;
  readonly available: string;
}

/** 402, naming whose money is short (decision: scope `account` or `key`). */
export function paymentRequired(scope: 'account' | 'key', shortfall: Shortfall): Refusal {
  const available = isNegative(shortfall.available) ? '0' : shortfall.available;
  const whose =
    scope === 'account'
      ? `Insufficient credit: ${available} USD is available`
      : `The spending limit of this key leaves ${available} USD`;
  return {
    status: 402,
    type: 'payment_required',
    message: `${whose} and this request may cost up to ${shortfall.required} USD`,
    metadata: { scope, required: shortfall.required, available },
  };
}
