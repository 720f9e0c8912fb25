import type { EndpointOffer } from '../../actors/terms/offer.ts';
import type { PromptTokens } from '../terms/plan.ts';

/** A count may be this much under the truth before a trimmed ceiling stops fitting. */
const COUNT_MARGIN = 1.1;
const COUNT_MARGIN_TOKENS = 32;

/**
 * The ceiling an endpoint is sent: what was asked, lowered to its own, trimmed so that prompt and answer fit its window
 * together. Null when the prompt alone does not fit. (spec: inference, Routing rules 5)
 */
export function fit(offer: EndpointOffer, prompt: PromptTokens, asked: number | undefined): number | null {
  const window = offer.contextLength;
  if (prompt.counted >= window) return null;
  if (offer.promptTokensMax !== null && prompt.counted > offer.promptTokensMax) return null;
  const cautious = Math.min(prompt.bound, Math.ceil(prompt.counted * COUNT_MARGIN) + COUNT_MARGIN_TOKENS);
  const room = Math.max(1, window - cautious);
  return Math.min(asked ?? room, reach(offer), room);
}

/** The most an endpoint can emit by its own word. */
export function reach(offer: EndpointOffer): number {
  return offer.completionTokensMax ?? offer.contextLength;
}
