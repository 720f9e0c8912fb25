import type { Dialect, ParsedRequest } from '../dialects/reply/dialect.ts';
import { unreadMembers } from '../dialects/request/read-members.ts';
import type { Inference } from './inference.ts';
import { runTurn } from './run-turn.ts';
import type { RunningTurn } from './running-turn.ts';
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
export function startTurn(inference: Inference, arrival: TurnArrival, body: DialectBody): Promise<RunningTurn> {
  try {
    return startParsed(inference, arrival, parsed(body), body.onAccepted);
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
  inference: Inference,
  arrival: TurnArrival,
  { turn: sent, reply }: ParsedRequest,
  onAccepted: DialectBody['onAccepted'],
): Promise<RunningTurn> {
  const { caller } = arrival;
  const { planner } = inference;
  const described = sent.files === undefined ? null : await inference.files.describe(caller, sent, sent.files);
  const { turn, files } = described ?? { turn: sent, files: undefined };
  try {
    const planning = planner.plan(turn, caller);
    const request: TurnRequest = {
      ...arrival,
      turn,
      reply,
      bytes: arrival.bytes + (files?.characters ?? 0),
      plan: planning instanceof Promise ? await planning : planning,
      files,
    };
    onAccepted?.(request);
    const running = await runTurn(inference, request);
    if (files !== undefined) void running.receipt.finally(files.release);
    return running;
  } catch (thrown) {
    files?.release();
    throw thrown;
  }
}
