import { promptTokensHeld } from '../pricing/estimate.ts';
import { tierEnd } from '../pricing/prices.ts';
import type { Candidate } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';

/** A count may be this many times what the hold was sized for before it is taken for noise. */
const BELIEVED_FACTOR = 2;

/**
 * The longest prompt that a report is believed about. Text has no more tokens than bytes: more than a factor above the
 * bound is noise, and so is another tier of prices than that of the bound, or a factor of tokens would be any factor of
 * money. What media and a provider's own options come to is only guessed, and who sends them could have it guessed low:
 * there every count that fits the window is charged exactly, above its hold if need be. (reliability, X25, attack 76,
 * decision 1)
 */
export function plausiblePromptTokensMax(
  turn: Turn,
  { endpoint, prompt }: Pick<Candidate, 'endpoint' | 'prompt'>,
): number {
  const held = promptTokensHeld(endpoint, prompt.bound);
  const isText = (turn.modalities?.input.length ?? 0) === 0 && turn.preferences.options === undefined;
  return isText ? Math.min(held * BELIEVED_FACTOR, tierEnd(endpoint.tariff, held)) : endpoint.contextLength;
}
