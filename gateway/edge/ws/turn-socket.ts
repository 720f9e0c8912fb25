import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { answerTurn } from '../api/answer-turn.ts';
import { RequestBody } from '../body/request-body.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import type { ServedRoute } from '../http/route.ts';
import { serveRoute } from '../http/serve.ts';
import { type RequestContext, type SocketSession, takeBody, type Upgrade } from '../request-context.ts';
import { FrameAnswer } from './frame-answer.ts';
import { FrameRequest } from './frame-request.ts';
import { RESTART_CODE } from './upgrade.ts';

/** Frames of one socket under way: the turn, those refused behind it, and turns that are read on for their usage. */
const FRAMES_MAX = 8;
/** Bytes of a frame that may be a cancel. */
const CANCEL_BYTES_MAX = 1_024;
const PING_MS = 30_000;
/** A socket without a turn for so long is closed. */
const IDLE_MS = 10 * 60_000;
const WRONG_DATA_CODE = 1003;
const POLICY_CODE = 1008;
const FAILURE_CODE = 1011;

export interface TurnSocketOptions {
  readonly edge: EdgeRoutes;
  readonly dialect: Dialect;
  readonly opening: IncomingMessage;
  readonly upgrade: Upgrade;
}

/**
 * One WebSocket whose frames are requests for turns, one turn after the other. Each frame takes the way of a request over
 * HTTP: credential, budgets, body bounds, hold and charge are the same. A cancel, and a socket that closes, end the turn
 * as a client that leaves does. (issue 17, part 4)
 */
export class TurnSocket implements SocketSession {
  readonly #socket: WebSocket;
  readonly #options: TurnSocketOptions;
  readonly #clock: Clock;
  readonly #answers = new Set<FrameAnswer>();
  readonly #route: ServedRoute;
  /** The answer whose turn is under way, from its frame to its end; null between turns. */
  #current: FrameAnswer | null = null;
  #cancelPing: Cancel;
  #answered = true;
  #draining = false;
  #quietSince: number;

  constructor(socket: WebSocket, options: TurnSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#clock = options.edge.services.clock;
    this.#quietSince = this.#clock.monotonic();
    this.#route = { policy: 'admit', body: 'json', answer: (context, edge) => this.#answer(context, edge) };
    this.#cancelPing = this.#clock.after(PING_MS, this.#ping);
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('pong', () => {
      this.#answered = true;
    });
    socket.on('error', ignore);
    socket.on('close', () => {
      this.#cancelPing();
      for (const answer of this.#answers) answer.destroy();
    });
  }

  drain(): void {
    this.#draining = true;
    if (this.#answers.size === 0) this.#socket.close(RESTART_CODE, 'the node is restarting');
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (isBinary) return void this.#socket.close(WRONG_DATA_CODE, 'frames are text');
    if (isCancel(bytes)) return void this.#cancel();
    if (this.#answers.size >= FRAMES_MAX) return void this.#socket.close(POLICY_CODE, 'too many frames at once');
    void this.#run(bytes);
  }

  async #run(bytes: Buffer): Promise<void> {
    const { edge, dialect, opening, upgrade } = this.#options;
    const sink = { send: (text: string, sent: (error?: Error | null) => void) => this.#socket.send(text, sent) };
    const answer = new FrameAnswer(sink, () => this.#release(answer));
    // A reader that is lost fails the answer, and the socket closes by itself.
    answer.on('error', ignore);
    this.#answers.add(answer);
    this.#current ??= answer;
    const request = new FrameRequest(opening, bytes) as unknown as IncomingMessage;
    const context = upgrade.begin(request, answer as unknown as ServerResponse);
    context.errorEnvelope = dialect.errorEnvelope(true);
    await serveRoute(context, this.#route, edge);
    this.#end(answer);
  }

  /** `stream` is implied. */
  #answer(context: RequestContext, edge: EdgeRoutes): Promise<null> {
    const { value, bytes } = takeBody(context);
    const { type } = (value ?? {}) as { readonly type?: unknown };
    if (type !== 'response.create') throw invalid('type must be "response.create" or "response.cancel"');
    const answer = context.response as unknown as FrameAnswer;
    if (answer.destroyed) throw new CallerLeft();
    if (this.#current !== answer) throw underWay();
    context.body = new RequestBody(bytes, { ...(value as object), stream: true });
    return answerTurn(edge, this.#options.dialect, context);
  }

  #end(answer: FrameAnswer): void {
    this.#answers.delete(answer);
    this.#quietSince = this.#clock.monotonic();
    // An answer that broke off without a frame for it: a stalled reader, or a failure behind its first frame.
    const isBroken = this.#current === answer && !answer.writableEnded;
    this.#release(answer);
    if (isBroken) this.#socket.close(FAILURE_CODE, 'the answer broke off');
    if (this.#draining) this.drain();
  }

  /** The next turn may begin. */
  #release(answer: FrameAnswer): void {
    if (this.#current === answer) this.#current = null;
  }

  #cancel(): void {
    const answer = this.#current;
    if (answer === null) return void this.#send({ type: 'error', status: 400, error: NOTHING_UNDER_WAY });
    this.#current = null;
    answer.destroy();
    this.#send({ type: 'response.cancelled', sequence_number: answer.frames });
  }

  /** A reader that is behind, and still sends, is cut. */
  #send(event: object): void {
    if (this.#socket.bufferedAmount > this.#options.edge.services.limits.streamBufferBytesMax) this.#socket.terminate();
    else this.#socket.send(JSON.stringify(event), ignore);
  }

  readonly #ping = (): void => {
    const isIdle = this.#answers.size === 0 && this.#clock.monotonic() - this.#quietSince >= IDLE_MS;
    if (!this.#answered) this.#socket.terminate();
    else if (isIdle) this.#socket.close(1000, 'idle');
    else {
      this.#answered = false;
      this.#socket.ping(ignore);
      this.#cancelPing = this.#clock.after(PING_MS, this.#ping);
    }
  };
}

const NOTHING_UNDER_WAY = {
  ...{ code: null, param: null, type: 'invalid_request', message: 'No response is under way' },
  metadata: { error_type: 'invalid_request' },
};

function underWay(): GatewayError {
  const message = 'A response is under way on this socket; wait for its end, or cancel it';
  return new GatewayError({ status: 409, type: 'invalid_request', message });
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
