import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { RuleViolation } from './eligibility/rule-violation.ts';

/**
 * A violation with its endpoint. A provider has the same tag for every model, so the model is added for several models.
 */
export function rejectionOf(
  { endpoint }: { readonly endpoint: Endpoint },
  violation: RuleViolation,
  turn: Turn,
): Rejection {
  const { provider, tag, model } = endpoint;
  const owner = { provider: provider.slug, endpoint: tag };
  return turn.models.length > 1 ? { ...owner, model, ...violation } : { ...owner, ...violation };
}
