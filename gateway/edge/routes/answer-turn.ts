import type { IncomingMessage, ServerResponse } from 'node:http';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import { Departure } from '../../inference/departure.ts';
import { plan } from '../../routing/plan.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import { readAttribution } from '../attribution.ts';
import { readBody } from '../body/read-body.ts';
import type { RequestBody } from '../body/request-body.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { callerOf, visitOf } from '../visit.ts';
import type { AcceptedTurn } from './accepted-turn.ts';
import { answerStream } from './answer-stream.ts';
import { answerWhole } from './answer-whole.ts';
import type { ParseRequest } from './turn-route.ts';

/**
 * Answers a request for inference of a caller who was let in: body, turn, plan, then the turn itself in one piece or as a
 * stream. Everything that fails before the turn runs is charged to the key's rate budget by the gate; from then on the
 * admit has counted it. Never rejects.
 */
export async function answerTurn(
  routes: EdgeRoutes,
  parse: ParseRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const accepted = await readTurn(routes, parse, request, response);
    visitOf(request).counted = true;
    await (accepted.turn.stream
      ? answerStream(routes, accepted, request, response)
      : answerWhole(routes, accepted, request, response));
  } catch (thrown) {
    await routes.gate.refuse(thrown, request, response);
  }
}

/** In a frame of its own: one that waits for the answer would hold the body for as long, and that of a refusal too. */
async function readTurn(
  routes: EdgeRoutes,
  parse: ParseRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<AcceptedTurn> {
  const { limits, clock } = routes.services;
  const reserve = (bytes: number): boolean => routes.bodies.take(bytes, response);
  const isGone = (): boolean => response.destroyed;
  stillHere(response);
  const body = await readBody(request, { limits, clock, reserve, isGone, invite: visitOf(request).invite });
  stillHere(response);
  return acceptTurn(routes, parse, request, body);
}

/** Who left while the key was looked up, or a large body waited for its turn, tells of it no second time. */
function stillHere(response: ServerResponse): void {
  if (response.destroyed) throw new CallerLeft();
}

/** What is known of a request before anybody is asked: the turn and where it may run. */
function acceptTurn(
  { services }: EdgeRoutes,
  parse: ParseRequest,
  request: IncomingMessage,
  body: RequestBody,
): AcceptedTurn {
  const visit = visitOf(request);
  const caller = callerOf(visit);
  const { headers } = request;
  const session = headers['x-session-id'];
  const { turn, dialect } = parse(body.take(), typeof session === 'string' ? session : null);
  const { affinity, config } = services.inference;
  const last = affinity.recall(caller.account, turn.conversation);
  const offers = services.cluster.board.topic(ENDPOINTS_TOPIC);
  return {
    generation: visit.id,
    turn,
    bytes: body.bytes,
    dialect,
    plan: plan(turn, offers, services.random.fraction(), last, config.workspace),
    caller,
    attribution: readAttribution(headers),
    startedAt: visit.startedAt,
    signal: new Departure(),
  };
}
