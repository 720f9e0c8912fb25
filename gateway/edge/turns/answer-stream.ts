import type { Cancel } from '../../../actors/runtime/index.ts';
import type { ReplyFrames, ReplyHead } from '../../dialects/reply/reply-dialect.ts';
import { EventStream } from '../../http/event-stream.ts';
import { endTurn } from '../../inference/end-turn.ts';
import type { RunningTurn } from '../../inference/running-turn.ts';
import type { CallerAbort, TurnRequest } from '../../inference/turn-request.ts';
import { CallerLeft, GatewayError, gatewayErrorOf, restarting } from '../../terms/gateway-error.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { nameAnswer, turnHeaders } from '../generation-headers.ts';
import type { RequestContext } from '../request-context.ts';
import type { AnswerParts } from './answer-parts.ts';

/**
 * A turn answered as an event stream, in any dialect. A failure before the first part is an ordinary HTTP error, unless
 * the stream was already opened after one keep-alive period; later failures are sent in-band. The charge is recorded
 * before the usage is sent. A client that left receives no usage, and neither does one whose charge cannot be recorded
 * now. (rule I56, rule I57)
 */
export class StreamAnswer {
  readonly #parts: AnswerParts;
  readonly #context: RequestContext;
  readonly #signal: CallerAbort;
  /** Null until the request is accepted. */
  #request: TurnRequest | null = null;
  #cancelOpening: Cancel | null = null;
  #events: EventStream | null = null;
  #running: RunningTurn | null = null;
  #frames: ReplyFrames | null = null;
  /** What the frames name. */
  #head: { -readonly [member in keyof ReplyHead]: ReplyHead[member] } | null = null;
  /** Nothing more may be sent: the client left, or received an error of the gateway. */
  #over = false;
  /** The turn ended in an error of its own. */
  #broken = false;
  /** Every part was written; only the charge is pending. */
  #written = false;
  #cutByNode = false;

  constructor(parts: AnswerParts, context: RequestContext, signal: CallerAbort) {
    this.#parts = parts;
    this.#context = context;
    this.#signal = signal;
  }

  /** Called when the turn is accepted. The stream opens with the first part, or after one keep-alive period. */
  accept(request: TurnRequest): void {
    const { inference, limits } = this.#parts;
    this.#request = request;
    this.#cancelOpening = inference.clock.after(limits.keepAliveCommentMs, () => this.#open(request, true));
  }

  /** Streams a turn that is being started; rejects with a refusal if the stream is not open yet. */
  async send(starting: Promise<RunningTurn>): Promise<null> {
    const { turns } = this.#parts;
    const { response } = this.#context;
    const closeTurn = turns.open(this.#cut);
    response.once('close', this.#left);
    try {
      const running = await this.#begun(starting);
      turns.streams++;
      await this.#relayAndEnd(running).finally(() => {
        turns.streams--;
      });
    } catch (thrown) {
      await this.#fail(thrown);
    } finally {
      this.#cancelOpening?.();
      closeTurn();
      response.off('close', this.#left);
    }
    return null;
  }

  async #begun(starting: Promise<RunningTurn>): Promise<RunningTurn> {
    try {
      const running = await starting;
      this.#running = running;
      if (this.#head !== null)
        Object.assign(this.#head, { model: running.head.model, provider: running.head.provider });
      return running;
    } catch (thrown) {
      if (thrown instanceof GatewayError) this.#parts.authentication.remember(this.#context, thrown);
      throw thrown;
    } finally {
      this.#cancelOpening?.();
    }
  }

  async #relayAndEnd(running: RunningTurn): Promise<void> {
    try {
      if (!this.#over) await this.#relay(running);
    } catch (thrown) {
      running.leave();
      await this.#fail(thrown);
    } finally {
      // Even if writing fails, end the turn so that the delivered part is charged.
      if (this.#over) running.leave();
      await this.#end(running);
    }
  }

  async #relay(running: RunningTurn): Promise<void> {
    const stream = this.#open(running.request);
    const frames = this.#framesOf(running.request);
    for (let events = await running.read(); events !== null; events = await running.read()) {
      if (this.#over) return;
      this.#observe(events);
      // The parts of one upstream chunk go out in one write; backpressure from the client reaches the provider.
      const waits = stream.write(frames.of(events));
      if (waits !== null) await waits;
      if (!stream.open) this.#over = true;
      if (this.#over) return;
    }
    this.#written = true;
  }

  async #end(running: RunningTurn): Promise<void> {
    const { inference, turns } = this.#parts;
    const ended = await endTurn(inference, running);
    this.#context.end.turn = ended;
    const { charge, closing } = ended;
    if (charge === 'unrecorded') turns.settledLater++;
    const stream = this.#events;
    if (this.#over || stream === null) return;
    const frames = this.#framesOf(running.request).end(closing);
    this.#over = true;
    await stream.end(frames);
    this.#parts.crashPoint?.('reply.sent');
  }

  /** Sends status 200 and the headers. `idle`: nothing is written at once, so an empty opening is a keep-alive. */
  #open(request: TurnRequest, idle = false): EventStream {
    if (this.#events) return this.#events;
    const { inference, limits } = this.#parts;
    const { response } = this.#context;
    const { generation, reply } = request;
    nameAnswer(response, generation);
    const headers = turnHeaders(request, this.#running);
    for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] as string, headers[at + 1] as string);
    this.#events = new EventStream(response, inference.clock, limits, {
      opening: reply.processing || (idle ? reply.keepAlive : ''),
      keepAlive: (silentMs) => this.#keepAlive(request, silentMs),
    });
    return this.#events;
  }

  #keepAlive(request: TurnRequest, silentMs: number): string {
    const { keepAlive, framesAfterMs = Number.POSITIVE_INFINITY } = request.reply;
    if (this.#over) return keepAlive;
    const frames = silentMs < framesAfterMs ? this.#frames : this.#framesOf(request);
    return frames?.keepAlive?.(silentMs) ?? keepAlive;
  }

  /** Before the turn runs, the stream names the first model of the request. */
  #framesOf({ generation, turn, reply }: TurnRequest): ReplyFrames {
    if (this.#frames !== null) return this.#frames;
    const created = Math.floor(this.#parts.now() / 1_000);
    const unknown = { id: generation, created, model: turn.models[0] as string, provider: '' };
    this.#head = { ...(this.#running?.head ?? unknown) };
    this.#frames = reply.frames(this.#head);
    return this.#frames;
  }

  /** Handles a failure of the turn or of the gateway. Before the stream is open, rethrows it as an ordinary answer. */
  async #fail(thrown: unknown): Promise<void> {
    if (this.#events === null) throw this.#signal.aborted ? this.#reasonToEnd() : thrown;
    const error = gatewayErrorOf(thrown);
    this.#context.end.error = error;
    this.#log(error);
    await this.#endInError(error);
  }

  async #endInError(error: GatewayError): Promise<void> {
    await this.#endWith((frames) => frames.of([{ type: 'error', error }]) + frames.end(null));
  }

  async #endWith(last: (frames: ReplyFrames) => string): Promise<void> {
    if (this.#over || this.#events === null || this.#request === null) return;
    const frames = last(this.#framesOf(this.#request));
    this.#over = true;
    await this.#events.end(frames);
  }

  /**
   * Called when the drain's grace period has ended. The stream ends with the in-band 503, and the delivered part is
   * charged. A stream whose parts were all written ends without usage and without an error, so that the client does not
   * repeat the request and pay twice. A stream that ended in an error gets no second one.
   */
  readonly #cut = (): void => {
    this.#cutByNode = true;
    void (this.#written || this.#broken ? this.#endWith((frames) => frames.end(null)) : this.#endInError(restarting()));
    this.#leave();
  };

  readonly #left = (): void => {
    if (!this.#over) this.#context.end.callerLeft = true;
    this.#over = true;
    this.#leave();
  };

  #leave(): void {
    this.#running?.leave();
    this.#signal.abort();
  }

  #reasonToEnd(): Error {
    return this.#cutByNode ? restarting() : new CallerLeft();
  }

  #observe(events: readonly TurnEvent[]): void {
    const last = events.at(-1);
    if (last?.type !== 'error') return;
    this.#broken = true;
    this.#log(last.error);
  }

  #log({ status, log, detail }: GatewayError): void {
    const { id, caller } = this.#context;
    const record = { generation: id, key: caller?.key ?? null, status, ...log, detail };
    this.#parts.log.warn(record, 'a stream ended in an error');
  }
}
