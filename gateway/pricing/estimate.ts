import type { EndpointOffer } from '../../actors/terms/offer.ts';
import { total } from './total.ts';

/**
 * What a turn may cost at most at this endpoint: sizes the hold, exact decimal USD. The prompt counts with its bound,
 * or the endpoint's window where that is smaller; the answer with the ceiling as it is sent. (spec: inference, 9)
 */
export function estimate(offer: EndpointOffer, promptTokensBound: number, completionTokensMax: number): string {
  return total(offer.tariff, Math.min(promptTokensBound, offer.contextLength), completionTokensMax);
}
