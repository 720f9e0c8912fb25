import type { Refusal } from './refusal.ts';
import { add, compare, isNegative } from './usd.ts';

/** Exact decimal USD. */
export interface Shortfall {
  /** The most that the turn may cost. */
  readonly required: string;
  /** The amount that can be spent now; may be negative. */
  readonly available: string;
  /** The amount that other requests hold and may give back; absent where no repeat of the request may succeed. */
  readonly held?: string | undefined;
}

/** What may be exhausted: the account's balance, the limit of the key, a budget of its workspace. */
export type PaymentScope = 'account' | 'key' | 'workspace';

/**
 * 402. The scope names the exhausted limit. (reliability, decision 6) `metadata.held` is what `available` grows by once the
 * other requests have ended without a charge; absent where that is nothing.
 */
export function paymentRequired(scope: PaymentScope, shortfall: Shortfall): Refusal {
  const isOverdrawn = isNegative(shortfall.available);
  const available = isOverdrawn ? '0' : shortfall.available;
  const held = shortfall.held ?? '0';
  const growth = isOverdrawn ? add(shortfall.available, held) : held;
  return {
    status: 402,
    type: 'payment_required',
    message: `${CREDIT[scope](available)} and this request may cost up to ${shortfall.required} USD`,
    metadata: { scope, required: shortfall.required, available, ...(compare(growth, '0') > 0 ? { held: growth } : {}) },
  };
}

const CREDIT: Readonly<Record<PaymentScope, (available: string) => string>> = {
  account: (available) => `Insufficient credit: ${available} USD is available`,
  key: (available) => `The spending limit of this key leaves ${available} USD`,
  workspace: (available) => `The budget of the key's workspace leaves ${available} USD`,
};

/** True for a 402 of a request that would be admitted if the other requests gave back all that they hold. */
export function fitsOnceReleased({ required, available, held }: Shortfall): boolean {
  return held !== undefined && compare(required, add(available, held)) <= 0;
}
