import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { EligibilityRule } from './eligibility/eligibility-rule.ts';

/** An objection with whose it is. One provider has the same tag for every model, so that of several it is named. */
export function rejectionOf(
  { endpoint }: { readonly endpoint: Endpoint },
  objection: EligibilityRule,
  turn: Turn,
): Rejection {
  const { provider, tag, model } = endpoint;
  const whose = { provider: provider.slug, endpoint: tag };
  return turn.models.length > 1 ? { ...whose, model, ...objection } : { ...whose, ...objection };
}
