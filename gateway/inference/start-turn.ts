import { endpointsOn } from '../../actors/endpoint/endpoint.ts';
import { type Json, ownerOf } from '../../actors/runtime/index.ts';
import type { WorkspaceRouting } from '../../actors/terms/workspace.ts';
import type { Dialect, ParsedRequest } from '../dialects/dialect.ts';
import { unreadMembers } from '../dialects/request/unread-members.ts';
import { plan } from '../routing/plan.ts';
import { promptNeeds } from '../routing/prompt-needs.ts';
import type { FileReference } from '../terms/turn.ts';
import { measurePrompt, type PromptSizes } from '../tokens/measure-prompt.ts';
import { describeFiles } from './attach-files.ts';
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

/** A request whose body was parsed. */
type Arrival = Omit<TurnInput, 'dialect' | 'body' | 'session'>;

interface Measured extends Pick<TurnRequest, 'turn' | 'reply'> {
  /** The board as the prompt was measured for it. */
  readonly endpoints: ReadonlyMap<string, Json>;
  readonly sizes: PromptSizes;
}

/**
 * Starts a turn from a body in any dialect: parse, measure the prompt, plan, hold, attempts, first delivery, in this
 * order. Rejects with `GatewayError` where a step refuses; then nothing is charged and a hold is released in the
 * background. Live requests and batch lines start with it and end with `endTurn`.
 *
 * Stored files that the turn names are described by their records after the parse, since their media decide the size and
 * the routing; their bytes are read after the hold. Not async, so that no waiting frame keeps the body alive.
 */
export function startTurn(services: InferenceServices, input: TurnInput): Promise<RunningTurn> {
  try {
    const parsed = withUnread(input, input.dialect.parse(input.body, input.session));
    const { files } = parsed.turn;
    if (files === undefined) return measure(services, input, parsed);
    return startWithFiles(services, withoutBody(input), parsed, files);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** The parse has shown that the body is an object. */
function withUnread({ dialect, body }: TurnInput, { turn, reply }: ParsedRequest): ParsedRequest {
  const unread = unreadMembers(dialect.members, body as object);
  return unread === null ? { turn, reply } : { turn: { ...turn, unread }, reply };
}

async function startWithFiles(
  services: InferenceServices,
  arrival: Arrival,
  { turn, reply }: ParsedRequest,
  files: readonly FileReference[],
): Promise<RunningTurn> {
  const described = await describeFiles(services, arrival.caller, turn, files);
  const stored = described.files;
  try {
    const bytes = arrival.bytes + stored.characters;
    const running = await measure(services, { ...arrival, bytes, files: stored }, { turn: described.turn, reply });
    void running.receipt.finally(stored.release);
    return running;
  } catch (thrown) {
    stored.release();
    throw thrown;
  }
}

function measure(services: InferenceServices, arrival: Arrival, { turn, reply }: ParsedRequest): Promise<RunningTurn> {
  const endpoints = endpointsOn(services.cluster.board);
  const sizes = measurePrompt(turn, promptNeeds(turn, endpoints), services.clock);
  if (sizes instanceof Promise) return startLong(services, withoutBody(arrival), { turn, reply, endpoints }, sizes);
  return begin(services, arrival, { turn, reply, endpoints, sizes });
}

async function startLong(
  services: InferenceServices,
  arrival: Arrival,
  parsed: Omit<Measured, 'sizes'>,
  sizes: Promise<PromptSizes>,
): Promise<RunningTurn> {
  return begin(services, arrival, { ...parsed, sizes: await sizes });
}

function begin(services: InferenceServices, arrival: Arrival, measured: Measured): Promise<RunningTurn> {
  const { caller } = arrival;
  const routing = services.workspaces.routingOf(ownerOf(caller.account), caller.workspace ?? null);
  if (routing instanceof Promise) return beginLater(services, withoutBody(arrival), measured, routing);
  return run(services, arrival, measured, routing);
}

async function beginLater(
  services: InferenceServices,
  arrival: Arrival,
  measured: Measured,
  routing: Promise<WorkspaceRouting>,
): Promise<RunningTurn> {
  return run(services, arrival, measured, await routing);
}

function run(
  services: InferenceServices,
  arrival: Arrival,
  measured: Measured,
  routing: WorkspaceRouting,
): Promise<RunningTurn> {
  const request = acceptTurn(services, arrival, measured, routing);
  arrival.onAccepted?.(request);
  return runTurn(services, request);
}

/** Plans the turn, without asking any actor. */
function acceptTurn(
  { affinity, random, cluster }: InferenceServices,
  arrival: Arrival,
  { turn, reply, endpoints, sizes }: Measured,
  routing: WorkspaceRouting,
): TurnRequest {
  const {
    generation,
    runAttempt,
    bytes,
    caller,
    attribution,
    idempotency,
    startedAt,
    signal,
    isCounted,
    acceptedIn,
    onHeld,
    files,
  } = arrival;
  const conversation = affinity.recall(caller.account, turn.conversation);
  return {
    generation,
    runAttempt,
    turn,
    reply,
    bytes,
    plan: plan(turn, endpoints, random.fraction(), conversation, routing, sizes, cluster.now()),
    caller,
    attribution,
    idempotency,
    startedAt,
    signal,
    isCounted,
    acceptedIn,
    onHeld,
    files,
  };
}

/** What a waiting frame may hold. A copy, so only the paths that wait make one. */
function withoutBody(input: Arrival & Partial<TurnInput>): Arrival {
  const { dialect: _dialect, body: _body, session: _session, ...arrival } = input;
  return arrival;
}
