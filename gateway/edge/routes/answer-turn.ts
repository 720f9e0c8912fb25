import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import { Departure } from '../../inference/departure.ts';
import { plan } from '../../routing/plan.ts';
import { readAttribution } from '../attribution.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { callerOf, type RequestContext, takeBody } from '../request-context.ts';
import type { AcceptedTurn } from './accepted-turn.ts';
import { answerStream } from './answer-stream.ts';
import { answerWhole } from './answer-whole.ts';
import type { ParseRequest } from './turn-route.ts';

/**
 * Answers a request for inference whose caller was let in and whose body was read: turn, plan, then the turn itself in one
 * piece or as a stream. A failure before the turn runs is counted when it is refused; from then on the admit has counted
 * the request. Returns without awaiting: a frame that waits for the answer would hold the parsed body as long.
 */
export function answerTurn(routes: EdgeRoutes, parse: ParseRequest, context: RequestContext): Promise<null> {
  const accepted = acceptTurn(routes, parse, context);
  context.counted = true;
  return accepted.turn.stream ? answerStream(routes, accepted, context) : answerWhole(routes, accepted, context);
}

/** What is known of a request before any actor is asked: the turn and where it may run. */
function acceptTurn({ services }: EdgeRoutes, parse: ParseRequest, context: RequestContext): AcceptedTurn {
  const caller = callerOf(context);
  const { headers } = context.request;
  const session = headers['x-session-id'];
  const { value, bytes } = takeBody(context);
  const { turn, dialect } = parse(value, typeof session === 'string' ? session : null);
  const { affinity, config } = services.inference;
  const last = affinity.recall(caller.account, turn.conversation);
  const offers = services.cluster.board.topic(ENDPOINTS_TOPIC);
  return {
    generation: context.id,
    turn,
    bytes,
    dialect,
    plan: plan(turn, offers, services.random.fraction(), last, config.workspace),
    caller,
    attribution: readAttribution(headers),
    startedAt: context.startedAt,
    signal: new Departure(),
  };
}
