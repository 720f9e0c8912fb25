import { ENDPOINTS_TOPIC } from '../../actors/endpoint/endpoint.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { plan } from '../routing/plan.ts';
import { runTurn } from './run-turn.ts';
import type { RunningTurn } from './running-turn.ts';
import type { InferenceServices } from './services.ts';
import type { TurnRequest } from './turn-request.ts';

/** A body in some dialect, and who sends it. */
export interface TurnInput extends Omit<TurnRequest, 'turn' | 'reply' | 'plan'> {
  /** An entry of the dialect table. */
  readonly dialect: Dialect;
  /** Any JSON value. */
  readonly body: unknown;
  /** `X-Session-Id` of the request; null without one. */
  readonly session: string | null;
  /** Called once the plan stands, before any actor is asked: from then on the admit counts the request. */
  readonly onAccepted?: (request: TurnRequest) => void;
}

/**
 * Makes a body of any dialect a turn under way: parse, plan, hold, attempts, first part, in this order. Rejects with
 * `GatewayError` where one of them refuses; then nothing is charged and a hold is released in the background. Live
 * requests and batch lines start by it, and end by `endTurn`.
 *
 * Stored files that the turn names are read between parse and plan, since routing judges their media; there are none
 * yet, and `CarriedInput` refuses their ids. Not async, so that no frame which waits for the answer keeps the body alive.
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

/** What is known of a body before any actor is asked: the turn and where it may run. */
function acceptTurn(services: InferenceServices, input: TurnInput): TurnRequest {
  const { generation, runAttempt, bytes, caller, attribution, startedAt, signal } = input;
  const { affinity, cluster, config, random } = services;
  const { turn, reply } = input.dialect.parse(input.body, input.session);
  const last = affinity.recall(caller.account, turn.conversation);
  const offers = cluster.board.topic(ENDPOINTS_TOPIC);
  return {
    generation,
    runAttempt,
    turn,
    reply,
    bytes,
    plan: plan(turn, offers, random.fraction(), last, config.workspace),
    caller,
    attribution,
    startedAt,
    signal,
  };
}
