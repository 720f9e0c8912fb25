import { ENDPOINTS_TOPIC } from '../../actors/endpoint/endpoint.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { plan } from '../routing/plan.ts';
import { runTurn } from './run-turn.ts';
import type { RunningTurn } from './running-turn.ts';
import type { InferenceServices } from './services.ts';
import type { TurnRequest } from './turn-request.ts';

/** A body in some dialect, and its caller. */
export interface TurnInput extends Omit<TurnRequest, 'turn' | 'reply' | 'plan'> {
  /** An entry of the dialect table. */
  readonly dialect: Dialect;
  /** Any JSON value. */
  readonly body: unknown;
  /** `X-Session-Id` of the request; null without one. */
  readonly session: string | null;
  /** Called after planning and before any actor is asked: from then on the admission counts the request. */
  readonly onAccepted?: (request: TurnRequest) => void;
}

/**
 * Starts a turn from a body in any dialect: parse, plan, hold, attempts, first delivery, in this order. Rejects with
 * `GatewayError` where a step refuses; then nothing is charged and a hold is released in the background. Live requests
 * and batch lines start with it and end with `endTurn`.
 *
 * Stored files that the turn names are to be read between parse and plan, since routing judges their media. Stored files
 * do not exist yet, and `CarriedInput` refuses their ids. Not async, so that no waiting frame keeps the body alive.
 */
export function startTurn(services: InferenceServices, input: TurnInput): Promise<RunningTurn> {
  try {
    const request = acceptTurn(services, input);
    input.onAccepted?.(request);
    return runTurn(services, request);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** Parses and plans the turn, without asking any actor. */
function acceptTurn(services: InferenceServices, input: TurnInput): TurnRequest {
  const { generation, runAttempt, bytes, caller, attribution, startedAt, signal } = input;
  const { affinity, cluster, config, random } = services;
  const { turn, reply } = input.dialect.parse(input.body, input.session);
  const last = affinity.recall(caller.account, turn.conversation);
  const endpoints = cluster.board.topic(ENDPOINTS_TOPIC);
  return {
    generation,
    runAttempt,
    turn,
    reply,
    bytes,
    plan: plan(turn, endpoints, random.fraction(), last, config.workspace),
    caller,
    attribution,
    startedAt,
    signal,
  };
}
