import type { Cancel } from '../../../actors/runtime/index.ts';
import type { ReplyDialect, ReplyFrames } from '../../dialects/reply/reply-dialect.ts';
import type { Departure } from '../../inference/departure.ts';
import { runTurn } from '../../inference/run-turn.ts';
import type { RunningTurn } from '../../inference/running-turn.ts';
import { settleTurn } from '../../inference/settle-turn.ts';
import type { TurnRequest } from '../../inference/turn-request.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { gatewayErrorOf } from '../../terms/gateway-error-of.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { EventStream } from '../http/event-stream.ts';
import { nameAnswer } from '../http/generation-headers.ts';
import type { RequestContext } from '../request-context.ts';
import type { AcceptedTurn } from './accepted-turn.ts';

/**
 * A turn answered as a stream, in whatever dialect. A failure before the first part is an ordinary answer, unless a
 * keep-alive period has passed by then; afterwards it is told in-band. The charge is recorded before the usage leaves; a
 * caller that left, and a charge that could not be recorded now, see none. (spec: inference, Chat stream, Errors 3)
 */
export async function answerStream(routes: EdgeRoutes, accepted: AcceptedTurn, context: RequestContext): Promise<null> {
  const stream = new AnswerStream(routes, accepted, context);
  await stream.run();
  return null;
}

class AnswerStream {
  readonly #routes: EdgeRoutes;
  readonly #context: RequestContext;
  readonly #turn: TurnRequest;
  readonly #dialect: ReplyDialect;
  readonly #departure: Departure;
  #events: EventStream | null = null;
  #running: RunningTurn | null = null;
  #frames: ReplyFrames | null = null;
  /** Nothing more may be sent: the caller left, or was told of an error of ours. */
  #over = false;
  /** The turn ended in an error of its own: its caller is shown no usage. */
  #broken = false;
  /** Every part was written: only the charge is still to come. */
  #told = false;
  #cutByNode = false;

  constructor(routes: EdgeRoutes, accepted: AcceptedTurn, context: RequestContext) {
    this.#routes = routes;
    this.#context = context;
    this.#turn = accepted;
    this.#departure = accepted.signal;
    this.#dialect = accepted.dialect;
  }

  async run(): Promise<void> {
    const { services, turns } = this.#routes;
    const closeTurn = turns.open(this.#cut);
    this.#context.response.once('close', this.#left);
    const openLate = services.clock.after(services.limits.keepAliveCommentMs, () => this.#open());
    try {
      await this.#begin(openLate);
      turns.streams++;
      await this.#send().finally(() => {
        turns.streams--;
      });
    } catch (thrown) {
      await this.#fail(thrown);
    } finally {
      openLate();
      closeTurn();
      this.#context.response.off('close', this.#left);
    }
  }

  async #begin(openLate: Cancel): Promise<void> {
    try {
      this.#running = await runTurn(this.#routes.services.inference, this.#turn);
    } catch (thrown) {
      if (thrown instanceof GatewayError) this.#routes.authentication.learn(this.#context, thrown);
      throw thrown;
    } finally {
      openLate();
    }
  }

  async #send(): Promise<void> {
    const running = this.#running as RunningTurn;
    if (!this.#over) {
      // Whatever befalls the writing, the turn is ended below and what was delivered of it is paid for.
      await this.#relay(running, this.#open(), this.#framesOf(running)).catch((thrown) => {
        running.leave();
        return this.#fail(thrown);
      });
    }
    if (this.#over) running.leave();
    await this.#settle(running);
  }

  async #relay(running: RunningTurn, stream: EventStream, frames: ReplyFrames): Promise<void> {
    for (let events = await running.read(); events !== null; events = await running.read()) {
      if (this.#over) return;
      this.#see(events);
      // What one upstream chunk brought leaves in one write; the provider waits as long as the reader does.
      const waits = stream.write(frames.of(events));
      if (waits !== null) await waits;
      if (!stream.open) this.#over = true;
      if (this.#over) return;
    }
    this.#told = true;
  }

  async #settle(running: RunningTurn): Promise<void> {
    const { services, turns } = this.#routes;
    const receipt = await running.receipt;
    const charged = await settleTurn(services.inference, this.#turn, receipt);
    if (charged === null && receipt.delivered) turns.settledLater++;
    const stream = this.#events;
    if (this.#over || stream === null) return;
    const closing =
      charged !== null && !this.#broken
        ? { usage: receipt.usage, cost: charged.cost, honoured: running.honoured }
        : null;
    this.#over = true;
    await stream.end(this.#framesOf(running).end(closing));
    services.crashPoint?.('reply.sent');
  }

  /** From here on the status is 200. */
  #open(): EventStream {
    if (this.#events) return this.#events;
    const { services } = this.#routes;
    nameAnswer(this.#context.response, this.#turn.generation);
    this.#events = new EventStream(this.#context.response, services.clock, services.limits, this.#dialect);
    return this.#events;
  }

  #framesOf(running: RunningTurn | null): ReplyFrames {
    this.#frames ??= this.#dialect.frames({
      id: this.#turn.generation,
      created: running?.created ?? Math.floor(this.#routes.services.cluster.now() / 1_000),
      model: running?.model ?? (this.#turn.turn.models[0] as string),
      provider: running?.provider ?? '',
    });
    return this.#frames;
  }

  /** A failure of the turn, or of ours. Before the stream was opened it is thrown on, as an ordinary answer. */
  async #fail(thrown: unknown): Promise<void> {
    if (this.#events === null) throw this.#departure.aborted ? this.#reasonToEnd() : thrown;
    const error = gatewayErrorOf(thrown);
    this.#log(error);
    await this.#endInError(error);
  }

  async #endInError(error: GatewayError): Promise<void> {
    await this.#endWith((frames) => frames.of([{ type: 'error', error }]) + frames.end(null));
  }

  async #endWith(last: (frames: ReplyFrames) => string): Promise<void> {
    if (this.#over || this.#events === null) return;
    this.#over = true;
    await this.#events.end(last(this.#framesOf(this.#running)));
  }

  /**
   * The node drains and its grace is over: the caller hears of it in-band, what was delivered is charged. Who has the
   * whole answer is not asked to repeat the request, and pay twice, and who was told of an error hears of no second one:
   * their streams end without usage.
   */
  readonly #cut = (): void => {
    this.#cutByNode = true;
    void (this.#told || this.#broken ? this.#endWith((frames) => frames.end(null)) : this.#endInError(restarting()));
    this.#leave();
  };

  readonly #left = (): void => {
    this.#over = true;
    this.#leave();
  };

  #leave(): void {
    this.#events?.stop();
    this.#running?.leave();
    this.#departure.abort();
  }

  #reasonToEnd(): Error {
    return this.#cutByNode ? restarting() : new CallerLeft();
  }

  #see(events: readonly TurnEvent[]): void {
    const last = events.at(-1);
    if (last?.type !== 'error') return;
    this.#broken = true;
    this.#log(last.error);
  }

  #log({ status, detail }: GatewayError): void {
    const { generation, caller } = this.#turn;
    this.#routes.services.log.warn({ generation, key: caller.key, status, detail }, 'a stream ended in an error');
  }
}

function restarting(): GatewayError {
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'The service is restarting, please repeat the request',
    headers: { 'retry-after': '1', 'x-should-retry': 'true' },
  });
}
