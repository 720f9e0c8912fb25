import type { RouteCandidate, RouteDecision, RouteRejection } from '../../actors/terms/hold.ts';
import type { Candidate, Rejection } from '../terms/plan.ts';
import type { TurnRequest } from './turn-request.ts';

const ROUTE_CANDIDATES_MAX = 20;
const ROUTE_REJECTIONS_MAX = 30;

/**
 * The plan as the record of a generation keeps it: the candidates in order, and why the others were rejected. Null for
 * one endpoint that takes the turn unchanged, since the record names that endpoint already.
 */
export function routeDecision({ plan, turn }: TurnRequest): RouteDecision | null {
  const { candidates, rejections } = plan;
  const [first] = candidates;
  if (!first) return null;
  if (candidates.length === 1 && rejections.length === 0 && first.messages === turn.messages) return null;
  const whole = turn.messages.length;
  const several = turn.models.length > 1;
  return boundedRoute(
    candidates.map((candidate) => candidateOf(candidate, several, whole)),
    rejections,
  );
}

/** A decision within the bounds of a record. */
export function boundedRoute(candidates: readonly RouteCandidate[], rejections: readonly Rejection[]): RouteDecision {
  const omitted =
    Math.max(0, candidates.length - ROUTE_CANDIDATES_MAX) + Math.max(0, rejections.length - ROUTE_REJECTIONS_MAX);
  return {
    candidates: candidates.slice(0, ROUTE_CANDIDATES_MAX),
    ...(rejections.length === 0 ? {} : { rejections: rejections.slice(0, ROUTE_REJECTIONS_MAX).map(rejectionOf) }),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

/** Drops the provider, which is the first part of the endpoint's tag, and the price, which the detail states. */
function rejectionOf({ provider: _, price: __, ...rejection }: Rejection): RouteRejection {
  return rejection;
}

function candidateOf({ endpoint, model, messages }: Candidate, several: boolean, whole: number): RouteCandidate {
  const dropped = whole - messages.length;
  return {
    endpoint: endpoint.tag,
    ...(several ? { model } : {}),
    ...(dropped === 0 ? {} : { dropped }),
  };
}
