import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { Dialect } from '../dialects/reply/dialect.ts';
import { continued, itemsOf, pastTurn } from '../dialects/responses/continued-turn.ts';
import type { Authentication } from '../edge/auth/authentication.ts';
import type { RequestBodies } from '../edge/body/request-bodies.ts';
import { JSON_BODY } from '../edge/body/route-body.ts';
import { callerOf, type RequestContext, takeBody } from '../edge/request-context.ts';
import type { ServedRoute } from '../edge/route.ts';
import type { AnswerParts } from '../edge/turns/answer-parts.ts';
import { answerTurn } from '../edge/turns/answer-turn.ts';
import { CLOSE, ClientSocket, type SocketUser } from '../http/client-socket.ts';
import type { Upgrade } from '../http/exchange.ts';
import type { EdgeLimits } from '../terms/config/config.ts';
import { CallerLeft, GatewayError, invalid } from '../terms/gateway-error.ts';
import { FrameAnswer } from './frame-answer.ts';
import { FrameArrival } from './frame-arrival.ts';
import { FrameRequest } from './frame-request.ts';
import { bytesOf, type RetainedTurns } from './retained-turns.ts';

/** Frames of one socket under way: the turn, those refused behind it, and turns that are read on for their usage. */
const FRAMES_MAX = 8;
/** Bytes of a frame that may be a cancel. */
const CANCEL_BYTES_MAX = 1_024;
/** A socket without a turn for so long is closed. */
const IDLE_MS = 10 * 60_000;
/** As many requests as the whole endpoint admits by default. */
const FRAMES_PER_MINUTE_MAX = 6_000;

/** What the sockets of one node share. */
export interface TurnSocketParts {
  readonly limits: EdgeLimits;
  readonly answering: AnswerParts;
  readonly authentication: Pick<Authentication, 'count'>;
  readonly bodies: RequestBodies;
  readonly retained: RetainedTurns;
  /** Answers a frame as the request that it is. */
  readonly serve: (context: RequestContext, route: ServedRoute) => Promise<void>;
}

interface TurnSocketOptions {
  readonly parts: TurnSocketParts;
  readonly dialect: Dialect;
  /** The request that was upgraded. */
  readonly opening: RequestContext;
  readonly upgrade: Upgrade<RequestContext>;
}

/**
 * One WebSocket whose frames are requests for turns, one turn after the other. Each frame takes the way of a request over
 * HTTP: credential, budgets, body bounds, hold and charge are the same. A turn may continue the last one that was
 * answered on the socket. A cancel, and a socket that closes, end the turn as a client that leaves does.
 */
export class TurnSocket implements SocketUser {
  readonly session: ClientSocket;
  readonly #options: TurnSocketOptions;
  readonly #answers = new Set<FrameAnswer>();
  readonly #route: ServedRoute;
  readonly #arrival: FrameArrival;
  /** The answer whose turn is under way, from its frame to its end; null between turns. */
  #current: FrameAnswer | null = null;
  /** Its input as items, once it is read; null between turns. */
  #input: readonly unknown[] | null = null;

  constructor(socket: WebSocket, options: TurnSocketOptions) {
    const { limits, answering } = options.parts;
    const { clock } = answering.inference;
    const { socket: connection } = options.upgrade;
    this.#options = options;
    this.#route = { policy: 'admit', body: JSON_BODY, answer: (context) => this.#answer(context) };
    this.#arrival = this.#watchArrival();
    connection.prependListener('data', (bytes: Buffer) => this.#arrival.arrived(bytes.length));
    socket.on('ping', (data) => this.#arrival.passed(data)).on('pong', (data) => this.#arrival.passed(data));
    const bounds = { stalledMs: limits.streamStalledMs, waitingBytes: limits.streamBufferBytesMax };
    this.session = new ClientSocket(
      socket,
      connection,
      {
        clock,
        ...bounds,
        framesPerMinuteMax: FRAMES_PER_MINUTE_MAX,
        idleMs: IDLE_MS,
        drainIdleMs: limits.drainIdleMs,
      },
      this,
    );
  }

  get isBusy(): boolean {
    return this.#answers.size > 0;
  }

  onFrame(frame: Buffer): void {
    const leaveRoom = this.#arrival.whole();
    if (isCancel(frame)) this.#cancel();
    else if (this.#answers.size >= FRAMES_MAX) this.session.close(CLOSE.policy, 'too many frames at once');
    else return void this.#run(frame, leaveRoom);
    leaveRoom();
  }

  onClose(): void {
    this.#arrival.close();
    this.#options.parts.retained.drop(this);
    for (const answer of this.#answers) answer.destroy();
  }

  #watchArrival(): FrameArrival {
    const { parts, opening } = this.#options;
    const caller = callerOf(opening);
    return new FrameArrival({
      clock: parts.answering.inference.clock,
      limits: parts.limits,
      open: () => parts.bodies.frame(caller, opening.request),
      refuse: ({ message, status }) => this.session.close(status === 408 ? CLOSE.policy : CLOSE.busy, message),
    });
  }

  /** `leaveRoom` is called once the frame is read, or refused unread. */
  async #run(frame: Buffer, leaveRoom: () => void): Promise<void> {
    const { parts, dialect, opening, upgrade } = this.#options;
    const answer = new FrameAnswer(this.session, (last) => {
      if (last !== undefined && this.#current === answer) this.#retain(last);
      this.#release(answer);
    });
    // A reader that is lost fails the answer, and the socket closes by itself.
    answer.on('error', ignore);
    this.#answers.add(answer);
    this.#current ??= answer;
    const request = new FrameRequest(opening.request, frame).once('close', leaveRoom);
    const context = upgrade.begin(request as unknown as IncomingMessage, answer as unknown as ServerResponse);
    context.route = opening.route;
    context.errorEnvelope = dialect.errorEnvelope(true);
    await parts.serve(context, this.#route);
    request.destroy();
    this.#end(answer);
  }

  /** `stream` is implied. */
  #answer(context: RequestContext): Promise<null> {
    const { parts, dialect } = this.#options;
    const { value, bytes } = takeBody(context);
    const { type } = (value ?? {}) as { readonly type?: unknown };
    const answer = context.response as unknown as FrameAnswer;
    if (answer.destroyed) throw new CallerLeft();
    if (type !== 'response.create') throw this.#refusal(invalid('type must be "response.create" or "response.cancel"'));
    if (this.#current !== answer) throw this.#refusal(underWay());
    const body = continued(value as Readonly<Record<string, unknown>>, parts.retained.of(this));
    this.#input = itemsOf(body.input);
    if (body.generate === false) return this.#prepare(context, { ...body, generate: null });
    return answerTurn(parts.answering, dialect, context, { value: { ...body, stream: true }, bytes });
  }

  /** Answers a turn that only prepares the next one: no provider is called, and nothing is charged. */
  async #prepare(context: RequestContext, body: object): Promise<null> {
    const { parts, dialect } = this.#options;
    const { turn, reply } = dialect.parse(body, null);
    const refusal = await parts.authentication.count(context);
    if (refusal !== null) throw refusal;
    const created = Math.floor(parts.answering.now() / 1_000);
    const frames = reply.frames({ id: context.id, created, model: turn.models[0] as string, provider: '' });
    context.response.writeHead(200);
    context.response.end(frames.of([]) + frames.end(NOTHING_USED));
    return null;
  }

  /** Keeps the turn under way, which ends with this event, for the next one. */
  #retain(lastEvent: string): void {
    const { retained, limits } = this.#options.parts;
    // A conversation that is too large for one request is not continued.
    const { bodyBytesMax } = limits;
    retained.drop(this);
    if (this.#input === null || !this.session.isOpen || lastEvent.length > bodyBytesMax) return;
    const turn = pastTurn(this.#input, lastEvent);
    const bytes = bytesOf(turn.items, bodyBytesMax);
    if (bytes <= bodyBytesMax) retained.keep(this, turn, bytes);
  }

  #end(answer: FrameAnswer): void {
    this.#answers.delete(answer);
    // An answer that broke off without a frame for it: a stalled reader, or a failure behind its first frame.
    const isBroken = this.#current === answer && !answer.writableEnded;
    this.#release(answer);
    if (isBroken) this.session.close(CLOSE.failure, 'the answer broke off');
    this.session.rest();
  }

  /** The next turn may begin. */
  #release(answer: FrameAnswer): void {
    if (this.#current !== answer) return;
    this.#current = null;
    this.#input = null;
  }

  #refusal(error: GatewayError): GatewayError | CallerLeft {
    return this.session.refused() ? error : new CallerLeft();
  }

  #cancel(): void {
    const answer = this.#current;
    if (answer === null) {
      if (this.session.refused()) this.#send({ type: 'error', status: 400, error: NOTHING_UNDER_WAY });
      return;
    }
    this.#release(answer);
    answer.destroy();
    this.#send({ type: 'response.cancelled', sequence_number: answer.frames });
  }

  #send(event: object): void {
    this.session.send(JSON.stringify(event));
  }
}

const NOTHING_USED = { usage: { promptTokens: 0, completionTokens: 0 }, cost: '0', honoured: {} };

const NOTHING_UNDER_WAY = {
  code: null,
  param: null,
  type: 'invalid_request',
  message: 'No response is under way',
  metadata: { error_type: 'invalid_request' },
};

function underWay(): GatewayError {
  const message = 'A response is under way on this socket; wait for its end, or cancel it';
  return new GatewayError({ status: 409, type: 'conflict', message });
}

function isCancel(bytes: Buffer): boolean {
  if (bytes.length > CANCEL_BYTES_MAX) return false;
  try {
    return (JSON.parse(bytes.toString('utf8')) as { readonly type?: unknown } | null)?.type === 'response.cancel';
  } catch {
    return false;
  }
}

function ignore(): void {}
