import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { ReplyDialect } from '../../dialects/reply-dialect.ts';
import { plan } from '../../routing/plan.ts';
import type { Turn } from '../../terms/turn.ts';
import { readAttribution } from '../attribution.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { readBody } from '../read-body.ts';
import { callerOf, visitOf } from '../visit.ts';
import type { AcceptedTurn } from './accepted-turn.ts';
import { answerStream } from './answer-stream.ts';
import { answerWhole } from './answer-whole.ts';

/** What a dialect makes of a body: the turn, and the writing of its answer. Throws the refusal. */
export type ParseRequest = (
  body: unknown,
  session: string | null,
) => { readonly turn: Turn; readonly dialect: ReplyDialect };

/**
 * A route for inference: body, turn, plan, then the turn itself in one piece or as a stream. Everything that fails before
 * the turn runs is charged to the key's rate budget by the gate; from then on the admit has counted it.
 */
export async function answerTurn(
  routes: EdgeRoutes,
  parse: ParseRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { limits, clock } = routes.services;
  const visit = visitOf(request.raw);
  const reserve = (bytes: number): boolean => routes.bodies.take(bytes, reply.raw);
  const body = await readBody(request.raw, { limits, clock, reserve, invite: visit.invite });
  const accepted = acceptTurn(routes, parse, request, body);
  visit.counted = true;
  return accepted.turn.stream
    ? answerStream(routes, accepted, request, reply)
    : answerWhole(routes, accepted, request, reply);
}

/** What is known of a request before anybody is asked: the turn and where it may run. */
function acceptTurn(
  { services }: EdgeRoutes,
  parse: ParseRequest,
  request: FastifyRequest,
  body: unknown,
): AcceptedTurn {
  const visit = visitOf(request.raw);
  const caller = callerOf(visit);
  const { headers } = request.raw;
  const session = headers['x-session-id'];
  const { turn, dialect } = parse(body, typeof session === 'string' ? session : null);
  const { affinity, config } = services.inference;
  const last = affinity.recall(caller.account, turn.conversation);
  const offers = services.cluster.board.topic(ENDPOINTS_TOPIC);
  return {
    generation: visit.id,
    turn,
    dialect,
    plan: plan(turn, offers, services.random.fraction(), last, config.workspace),
    caller,
    attribution: readAttribution(headers),
    startedAt: visit.startedAt,
  };
}
