import { promptTokensHeld } from '../pricing/estimate.ts';
import { tierEnd } from '../pricing/prices.ts';
import type { Candidate } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';

/** A reported count may be this many times the size of the hold; a larger one is noise. */
const PLAUSIBLE_FACTOR = 2;

/**
 * The longest prompt that a usage report may plausibly name. Text has no more tokens than bytes, so more than a factor
 * above the bound is noise. A count in another price tier than the bound's is noise as well, since a small factor of
 * tokens could otherwise be any factor of money. Media and a provider's own options are only estimated, and a client
 * could make the estimate low: there every count that fits the window is charged exactly, above its hold if need be.
 * (reliability, X25, attack 76, decision 1)
 */
export function plausiblePromptTokensMax(
  turn: Turn,
  { endpoint, prompt }: Pick<Candidate, 'endpoint' | 'prompt'>,
): number {
  const held = promptTokensHeld(endpoint, prompt.bound);
  const isText = (turn.modalities?.input.length ?? 0) === 0 && turn.preferences.options === undefined;
  return isText ? Math.min(held * PLAUSIBLE_FACTOR, tierEnd(endpoint.tariff, held)) : endpoint.contextLength;
}
