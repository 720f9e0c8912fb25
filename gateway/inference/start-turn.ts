import { endpointsOn } from '../../actors/endpoint/endpoint.ts';
import { ownerOf } from '../../actors/runtime/index.ts';
import type { Dialect, ParsedRequest } from '../dialects/reply/dialect.ts';
import { unreadMembers } from '../dialects/request/read-members.ts';
import { plan } from '../routing/plan.ts';
import { promptNeeds } from '../routing/prompt-needs.ts';
import { measurePrompt } from '../tokens/measure-prompt.ts';
import { describeFiles } from './attach-files.ts';
import { runTurn } from './run-turn.ts';
import type { RunningTurn } from './running-turn.ts';
import type { InferenceServices } from './services.ts';
import type { TurnRequest } from './turn-request.ts';

/** A body in some dialect. */
export interface DialectBody {
  /** An entry of the dialect table. */
  readonly dialect: Dialect;
  /** Any JSON value. */
  readonly body: unknown;
  /** `X-Session-Id` of the request; null without one. */
  readonly session: string | null;
  /** Called after planning and before any actor is asked: from then on the admission counts the request. */
  readonly onAccepted?: ((request: TurnRequest) => void) | undefined;
}

/** What is known of a request before its body is parsed. */
export type TurnArrival = Omit<TurnRequest, 'turn' | 'reply' | 'plan' | 'files'>;

/**
 * Starts a turn from a body in any dialect: parse, measure the prompt, plan, hold, attempts, first delivery, in this
 * order. Rejects with `GatewayError` where a step refuses; then nothing is charged and a hold is released in the
 * background. Live requests and batch lines start with it and end with `endTurn`.
 *
 * Not async, and what it calls does not see the body: no frame that waits keeps the body alive.
 */
export function startTurn(services: InferenceServices, arrival: TurnArrival, body: DialectBody): Promise<RunningTurn> {
  try {
    return startParsed(services, arrival, parsed(body), body.onAccepted);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function parsed({ dialect, body, session }: DialectBody): ParsedRequest {
  const { turn, reply } = dialect.parse(body, session);
  // The parse has shown that the body is an object.
  const unread = unreadMembers(dialect.members, body as object);
  return unread === null ? { turn, reply } : { turn: { ...turn, unread }, reply };
}

/**
 * Stored files that the turn names are described by their records before it is measured, since their media decide the
 * size and the routing; their bytes are read after the hold. Steps that complete at once are not awaited.
 */
async function startParsed(
  services: InferenceServices,
  arrival: TurnArrival,
  { turn: sent, reply }: ParsedRequest,
  onAccepted: DialectBody['onAccepted'],
): Promise<RunningTurn> {
  const { caller } = arrival;
  const { affinity, clock, cluster, random, workspaces } = services;
  const described = sent.files === undefined ? null : await describeFiles(services, caller, sent, sent.files);
  const { turn, files } = described ?? { turn: sent, files: undefined };
  try {
    const endpoints = endpointsOn(cluster.board);
    const measured = measurePrompt(turn, promptNeeds(turn, endpoints), clock);
    const sizes = measured instanceof Promise ? await measured : measured;
    const routed = workspaces.routingOf(ownerOf(caller.account), caller.workspace ?? null);
    const routing = routed instanceof Promise ? await routed : routed;
    const conversation = affinity.recall(caller.account, turn.conversation);
    const request: TurnRequest = {
      ...arrival,
      turn,
      reply,
      bytes: arrival.bytes + (files?.characters ?? 0),
      plan: plan(turn, endpoints, random.fraction(), conversation, routing, sizes, cluster.now()),
      files,
    };
    onAccepted?.(request);
    const running = await runTurn(services, request);
    if (files !== undefined) void running.receipt.finally(files.release);
    return running;
  } catch (thrown) {
    files?.release();
    throw thrown;
  }
}
