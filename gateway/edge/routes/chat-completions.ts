import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import { parse } from '../../dialects/chat/parse.ts';
import type { TurnRequest } from '../../inference/turn-request.ts';
import { plan } from '../../routing/plan.ts';
import { readAttribution } from '../attribution.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { readBody } from '../read-body.ts';
import { callerOf, visitOf } from '../visit.ts';
import { answerStream } from './chat-stream.ts';
import { answerWhole } from './chat-whole.ts';

/**
 * `POST /chat/completions`: body, turn, plan, then the turn itself as one answer or as a stream. Everything that fails
 * before the turn runs is charged to the key's rate budget by the gate; from then on the admit has counted it.
 */
export function registerChatCompletions(app: FastifyInstance, routes: EdgeRoutes): void {
  const { gate, services } = routes;
  app.post('/chat/completions', { onRequest: gate.guard('key') }, async (request, reply) => {
    const { raw } = request;
    const visit = visitOf(raw);
    const { limits, clock } = services;
    const body = await readBody(raw, { limits, clock, invite: visit.invite });
    const accepted = acceptTurn(routes, request, body);
    visit.counted = true;
    return answer(routes, accepted, request, reply);
  });
}

/** What is known of a request before anybody is asked: the turn and where it may run. Throws the refusal. */
function acceptTurn({ services }: EdgeRoutes, request: FastifyRequest, body: unknown): TurnRequest {
  const visit = visitOf(request.raw);
  const caller = callerOf(visit);
  const { headers } = request.raw;
  const session = headers['x-session-id'];
  const turn = parse(body, typeof session === 'string' ? session : null);
  const last = services.inference.affinity.recall(caller.account, turn.conversation);
  return {
    generation: visit.id,
    turn,
    plan: plan(turn, services.cluster.board.topic(ENDPOINTS_TOPIC), services.random.fraction(), last),
    caller,
    attribution: readAttribution(headers),
    startedAt: visit.startedAt,
  };
}

function answer(
  routes: EdgeRoutes,
  accepted: TurnRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return accepted.turn.stream
    ? answerStream(routes, accepted, request, reply)
    : answerWhole(routes, accepted, request, reply);
}
