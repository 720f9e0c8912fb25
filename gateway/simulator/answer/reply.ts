import type { ServerResponse } from 'node:http';
import type { Call } from '../calls/call-log.ts';
import type { Holds } from '../calls/holds.ts';
import { type Answer, answerOf } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import type { ChatRequest } from './chat-request.ts';
import { sendGarbage } from './garbage.ts';
import { streamed, streamType, type Wire } from './wire.ts';

const MIDSTREAM_CHUNKS = 3;

/** The call that an answer is for, and what holds answers back. */
interface Answered {
  readonly call: Call;
  readonly wire: Wire;
  readonly holds: Holds;
}

/** Answers one call as its behaviour specifies and updates the call's record. Never ends a hung call by itself. */
export function reply(
  response: ServerResponse,
  request: ChatRequest,
  behaviour: Behaviour,
  { call, wire, holds }: Answered,
): void {
  const failure = behaviour.failure;
  if (failure?.hang === 'headers') return;
  if (failure?.status) return void refuse(response, failure.status, { retryAfter: failure.retryAfter, call, wire });
  const answer = answerOf(request, behaviour, call);
  const wait = call.stream || failure?.garbage ? behaviour.ttftMs : behaviour.ttftMs + durationMs(behaviour);
  after(response, wait, () => {
    call.firstByteAt = Date.now();
    call.status = 200;
    if (failure?.garbage) {
      call.outcome = 'garbage';
      sendGarbage(failure.garbage, { response, answer, wire, stream: call.stream });
    } else if (call.stream) {
      new Streaming(response, answer, behaviour, { call, wire, holds }).start();
    } else whenReleased(response, behaviour.hold, holds, () => sendWhole(response, answer, behaviour, call, wire));
  });
}

function refuse(
  response: ServerResponse,
  status: number,
  { retryAfter, call, wire }: { readonly retryAfter: string | null; readonly call: Call; readonly wire: Wire },
): void {
  call.outcome = 'status';
  call.status = status;
  call.firstByteAt = Date.now();
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (retryAfter !== null) headers['retry-after'] = retryAfter;
  response.writeHead(status, headers);
  response.end(wire.failure(status));
}

function sendWhole(response: ServerResponse, answer: Answer, behaviour: Behaviour, call: Call, wire: Wire): void {
  const body = wire.whole(answer);
  response.writeHead(200, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  if (behaviour.failure?.hang) return void response.flushHeaders();
  if (behaviour.failure) {
    call.outcome = 'cut';
    response.write(body.slice(0, body.length >> 1));
    after(response, 1, () => response.destroy());
    return;
  }
  call.outcome = 'served';
  call.usage = answer.usage;
  call.chunks = answer.chunks.length;
  response.end(body);
}

/** One streamed answer: sends frames at the configured rate, waits for a slow reader, cuts or hangs on request. */
class Streaming {
  readonly #response: ServerResponse;
  readonly #wire: Wire;
  readonly #content: readonly string[];
  readonly #tail: readonly string[];
  readonly #answer: Answer;
  readonly #call: Call;
  readonly #gapMs: number;
  readonly #stopAt: number;
  readonly #holdAt: number;
  readonly #hold: string | null;
  readonly #holds: Holds;
  readonly #hangs: boolean;
  readonly #beganAt = performance.now();
  #sent = 0;

  constructor(response: ServerResponse, answer: Answer, behaviour: Behaviour, { call, wire, holds }: Answered) {
    const { content, tail } = wire.frames(answer);
    const failure = behaviour.failure;
    this.#holdAt = 1 + MIDSTREAM_CHUNKS;
    this.#hold = behaviour.hold;
    this.#holds = holds;
    this.#response = response;
    this.#wire = wire;
    this.#content = content;
    this.#tail = tail;
    this.#answer = answer;
    this.#call = call;
    this.#gapMs = behaviour.tokensPerSecond > 0 ? 1_000 / behaviour.tokensPerSecond : 0;
    this.#hangs = (failure?.hang ?? null) !== null;
    // The frame with the role does not count as a chunk.
    this.#stopAt = failure === null ? Number.POSITIVE_INFINITY : 1 + (failure.cutAfter ?? MIDSTREAM_CHUNKS);
    if (failure?.hang === 'body') this.#stopAt = 0;
  }

  start(): void {
    this.#response.writeHead(200, ['content-type', streamType(this.#wire), 'cache-control', 'no-cache']);
    this.#response.flushHeaders();
    this.#step();
  }

  #step(): void {
    const response = this.#response;
    while (!response.destroyed) {
      if (this.#sent >= this.#stopAt) return void this.#stop();
      if (this.#sent >= this.#holdAt && this.#holds.isHeld(this.#hold)) {
        return void whenReleased(response, this.#hold, this.#holds, () => this.#step());
      }
      if (this.#sent >= this.#content.length) return void this.#end();
      const early = this.#sent * this.#gapMs - (performance.now() - this.#beganAt);
      if (early > 0.5) return void after(response, early, () => this.#step());
      const flows = response.write(streamed(this.#wire, this.#content[this.#sent] as string));
      this.#sent++;
      this.#call.chunks = Math.max(0, this.#sent - 1);
      if (!flows) return void response.once('drain', () => this.#step());
    }
  }

  #stop(): void {
    if (this.#hangs) return;
    this.#call.outcome = 'cut';
    after(this.#response, 1, () => this.#response.destroy());
  }

  #end(): void {
    this.#call.outcome = 'served';
    this.#call.usage = this.#answer.usage;
    this.#response.end(streamed(this.#wire, this.#tail.join('')));
  }
}

function whenReleased(response: ServerResponse, name: string | null, holds: Holds, run: () => void): void {
  if (!holds.isHeld(name)) return void run();
  response.once('close', holds.onRelease(name, run));
}

function durationMs(behaviour: Behaviour): number {
  return behaviour.tokensPerSecond > 0 ? (behaviour.tokens * 1_000) / behaviour.tokensPerSecond : 0;
}

function after(response: ServerResponse, delayMs: number, run: () => void): void {
  if (delayMs <= 0) return void run();
  const timer = setTimeout(() => {
    response.off('close', forget);
    if (!response.destroyed) run();
  }, delayMs);
  const forget = (): void => clearTimeout(timer);
  response.once('close', forget);
}
