import type { EndpointOffer } from '../../actors/terms/offer.ts';
import type { Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { Objection } from './objections/objection.ts';

/** An objection with whose it is. One provider has the same tag for every model, so that of several it is named. */
export function rejectionOf({ offer }: { readonly offer: EndpointOffer }, objection: Objection, turn: Turn): Rejection {
  const { provider, tag: endpoint, model } = offer;
  const whose = { provider: provider.slug, endpoint };
  return turn.models.length > 1 ? { ...whose, model, ...objection } : { ...whose, ...objection };
}
