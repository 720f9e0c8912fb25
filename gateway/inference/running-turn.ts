import type { AttemptRecord } from '../../actors/terms/hold.ts';
import type { ReplyHead } from '../dialects/reply/reply-dialect.ts';
import { type Flight, stoppedByOperator } from '../inflight/flights.ts';
import { inputImages, type MediaBounds, mediaBounds } from '../pricing/media-bounds.ts';
import type { ProviderAttempt } from '../providers/adapter.ts';
import { failureOf } from '../providers/failure-of.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import { honoured } from '../routing/honoured.ts';
import { isEmpty } from '../terms/exact-decimal.ts';
import type { Candidate, PromptTokens } from '../terms/plan.ts';
import type { Receipt } from '../terms/receipt.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import { windowsOf } from '../terms/turn-kind.ts';
import type { Usage } from '../terms/usage.ts';
import { endCall } from './call-span.ts';
import { brokenStream } from './exhausted.ts';
import type { Inference } from './inference.ts';
import type { MeasuredMedia } from './media-meter.ts';
import type { TurnRequest } from './turn-request.ts';
import { plausibleUsage, tenths, UsageMeter } from './usage-meter.ts';

/**
 * A turn with its first delivery. It is not retried any more; it ends by its finish, an error or the client leaving.
 */
export interface RunningTurn {
  readonly request: TurnRequest;
  /** Generation, model and provider that the reply names. */
  readonly head: ReplyHead;
  /** The ceiling sent to the provider, where the money lowered it; null otherwise. */
  readonly loweredCeiling: number | null;
  /** The parts since the last read; null after `finish` (and `usage`) or one `error`. One reader. */
  read(): Promise<readonly TurnEvent[] | null>;
  /** The client has left: the answer is aborted, or read on for its usage. No effect at the end. */
  leave(): void;
  /** USD that are held for it. */
  readonly held: string;
  /** The turn as operators see it. */
  readonly flight: Flight;
  /** How the turn ended; for `endTurn`. Never rejects. */
  readonly receipt: Promise<Receipt>;
}

export interface Begun {
  readonly candidate: Candidate;
  readonly attempt: ProviderAttempt;
  readonly first: readonly TurnEvent[];
  /** Attempt number of the hold, and store time of the turn's admission. */
  readonly holdAttempt: number;
  readonly admittedAt: number;
  /** Milliseconds from the request's start until its money was held. */
  readonly admittedMs: number | null;
  /** USD that were held when this attempt was sent. */
  readonly held: string;
  readonly attempts: readonly AttemptRecord[];
  /** Store time, ms, of its first part. */
  readonly beganAt: number;
  /** Monotonic ms at which this attempt was sent, and at which its first part arrived. */
  readonly sentAt: number;
  readonly firstAt: number;
  /** The call of the provider, where the request is traced; ends with the attempt. */
  readonly span?: TraceSpan | undefined;
  readonly flight: Flight;
}

/** Of a node's inference, what reads an answer to its end. */
type RunningServices = Pick<Inference, 'clock' | 'planner' | 'holds' | 'calls' | 'evidence'>;

type EventBatch = readonly TurnEvent[];
/** Turns of the event loop without a part after which everything that had arrived is read. */
const QUIET_TURNS = 4;
/** Turns of the event loop spent at most on parts that had arrived, at an endpoint that keeps sending. */
const ARRIVED_TURNS_MAX = 64;
const ENDED: Promise<null> = Promise.resolve(null);
const NOTHING: EventBatch = [];

export class RunningAttempt implements RunningTurn {
  readonly request: TurnRequest;
  readonly head: ReplyHead;
  readonly held: string;
  readonly receipt: Promise<Receipt>;
  readonly flight: Flight;
  readonly #services: RunningServices;
  readonly #begun: Begun;
  readonly #meter: UsageMeter;
  #first: EventBatch | null;
  #resolve: (receipt: Receipt) => void = () => {};
  #reading: Promise<EventBatch | null> | null = null;
  /** Batches read so far. */
  #batches = 0;
  /** Parts read after the client left a cancellable endpoint; null before that and at other endpoints. */
  #arrived: TurnEvent[] | null = null;
  #closed = false;
  #left = false;
  /** The client left before the finish could be delivered. */
  #cancelled = false;
  /** Something was handed on to the client: then the turn is charged. (rule K71) */
  #delivered: boolean;

  constructor(services: RunningServices, request: TurnRequest, begun: Begun) {
    this.#services = services;
    this.request = request;
    this.held = begun.held;
    this.#begun = begun;
    this.#meter = new UsageMeter(request.turn.speech?.format ?? null);
    this.flight = begun.flight;
    this.flight.onStop = () => this.#stop();
    this.flight.countTokens = () => this.#meter.counted();
    this.flight.enter('first_byte');
    this.head = {
      id: request.generation,
      created: Math.floor(begun.beganAt / 1_000),
      model: begun.candidate.model,
      provider: begun.candidate.endpoint.provider.name,
    };
    this.receipt = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#first = begun.first;
    this.#meter.add(begun.first);
    this.#delivered = !request.turn.stream;
    // A whole answer ends with its first part.
    if (!request.turn.stream) this.#close(null);
  }

  get loweredCeiling(): number | null {
    const { lowered, completionTokensMax } = this.#begun.candidate;
    return lowered ? completionTokensMax : null;
  }

  read(): Promise<EventBatch | null> {
    const first = this.#first;
    if (first !== null) {
      this.#first = null;
      this.#delivered = true;
      this.flight.enter('streaming');
      return Promise.resolve(first);
    }
    return this.#closed || this.#left ? ENDED : this.#advance();
  }

  leave(): void {
    if (this.#closed || this.#left) return;
    this.#left = true;
    this.#cancelled = this.#meter.finish === null;
    this.#remember();
    const { endpoint } = this.#begun.candidate;
    if (!this.#delivered) {
      // The first part arrived too late to be delivered.
      this.#first = null;
      this.#cancelled = true;
      this.#close(null);
      this.#begun.attempt.abort();
    } else {
      const aborted = endpoint.cancellable && this.#cancelled;
      if (aborted) this.#arrived = [];
      this.#services.holds.pending.add(this.#readOn(aborted ? 0 : this.#services.calls.limits.readOnMs));
    }
  }

  /** The provider's call is aborted; what was delivered is charged, and the client gets the reason. (rule E52) */
  #stop(): void {
    if (!this.#closed) this.#begun.attempt.abort();
  }

  /** Reads one batch, or null at the end; a failure is the last batch. Closes the turn at its end. */
  #advance(): Promise<EventBatch | null> {
    this.#reading = this.#read();
    return this.#reading;
  }

  async #read(): Promise<EventBatch | null> {
    try {
      const events = await this.#begun.attempt.read();
      if (this.#closed) return null;
      this.#batches++;
      if (events === null) this.#close(null);
      else if (this.#arrived === null) this.#meter.add(events);
      else this.#arrived.push(...events);
      return events;
    } catch (thrown) {
      if (this.#closed) return null;
      const failure = failureOf(thrown, this.#begun.attempt.status);
      const { stopReason } = this.flight;
      // The gateway aborted the answer because its client had left or an operator stopped it: not the provider's fault.
      const isOurs = failure.reason === 'aborted' && (this.#left || stopReason !== null);
      const isStopped = isOurs && stopReason !== null;
      if (isStopped) this.#cancelled = this.#meter.finish === null;
      this.#close(isOurs ? null : failure);
      return [
        { type: 'error', error: isStopped ? stoppedByOperator(stopReason) : brokenStream(failure, this.head.provider) },
      ];
    }
  }

  /** Reads on for `readOnMs`, for the usage that gives the cost of the answer; then aborts what has not arrived. */
  async #readOn(readOnMs: number): Promise<void> {
    const { clock } = this.#services;
    const cancel = clock.after(readOnMs, () => void this.#abortUnarrived());
    await this.#reading;
    while (!this.#closed) await this.#advance();
    cancel();
  }

  /**
   * Aborts the call once everything that had arrived is read: the rest of the answer, with its usage, may wait in the
   * buffers of a connection whose client read slowly, or of a process that was paused. What is still on its way is
   * lost.
   */
  async #abortUnarrived(): Promise<void> {
    const { clock } = this.#services;
    let quiet = 0;
    for (let turns = 0; turns < ARRIVED_TURNS_MAX && quiet < QUIET_TURNS && !this.#closed; turns++) {
      const before = this.#batches;
      await new Promise<void>((resolve) => void clock.after(0, resolve));
      quiet = this.#batches === before ? quiet + 1 : 0;
    }
    this.#begun.attempt.abort();
  }

  #close(failure: ProviderFailure | null): void {
    this.#closed = true;
    this.#countArrived();
    const now = this.#services.clock.monotonic();
    const receipt = this.#receiptOf(failure, now);
    // Resolve the receipt first: the charge waits for it.
    const measured = this.#meter.measured(() => this.#mediaBounds(), this.#services.clock);
    if (measured instanceof Promise)
      this.#services.holds.pending.add(measured.then((read) => this.#resolveWith(receipt, read, failure)));
    else this.#resolveWith(receipt, measured, failure);
    if (failure === null && !this.#left) this.#remember();
    const { candidate, sentAt, firstAt } = this.#begun;
    if (failure !== null) this.#services.planner.failed(candidate.endpoint.id, failure);
    const ended = { candidate, sentAt, firstAt, endedAt: now, meter: this.#meter, failure };
    this.#services.evidence.ended(this.request, receipt, ended);
  }

  /**
   * Parts that were never delivered count only where the provider reported the whole answer: its usage is the charge.
   * Otherwise the delivered parts are charged by our own count. (rule K71)
   */
  #countArrived(): void {
    const arrived = this.#arrived ?? NOTHING;
    const whole = arrived.some(({ type }) => type === 'finish');
    if (whole && this.#begun.attempt.usage.completionTokens !== undefined) this.#meter.add(arrived);
  }

  #mediaBounds(): MediaBounds | null {
    const { endpoint, completionTokensMax } = this.#begun.candidate;
    return mediaBounds(this.request.turn, endpoint, completionTokensMax);
  }

  #resolveWith(measured: Receipt, { media, beyond }: MeasuredMedia, failure: ProviderFailure | null): void {
    const { turn } = this.request;
    const { messages, promptUnits } = this.#begun.candidate;
    if (beyond) this.#doubt('media beyond the admitted bounds');
    const images = inputImages(turn, messages);
    const plain = images === 0 && promptUnits === undefined && isEmpty(media);
    const units = { ...promptUnits, ...(images === 0 ? {} : { inputImages: images }) };
    const counted = promptUnits?.searches;
    if (counted !== undefined) units.searches = Math.min(counted, measured.usage.searches ?? counted);
    const receipt = plain ? measured : { ...measured, media: { ...media, ...units } };
    this.#resolve(receipt);
    const { span, firstAt, sentAt } = this.#begun;
    const firstMs = firstAt - sentAt;
    endCall(span, { request: this.request, receipt, firstMs, failure: failure?.category ?? null });
  }

  #receiptOf(failure: ProviderFailure | null, now: number): Receipt {
    const { candidate, attempt, holdAttempt, admittedAt, admittedMs, attempts, firstAt, sentAt } = this.#begun;
    const { prompt } = candidate;
    const ceiling = candidate.completionTokensMax;
    const completionTokensMax = ceiling + (this.#mediaBounds()?.imageTokens ?? 0);
    const reported = attempt.usage;
    const window = candidate.endpoint.contextLength * windowsOf(this.request.turn);
    const promptTokensMax = Math.min(window, prompt.reportedMax);
    const usage = plausibleUsage(reported, { promptTokensMax, completionTokensMax });
    if (usage !== reported) this.#doubt('implausible usage', { usage: reported });
    const refused = usage.promptTokens === undefined ? reported.promptTokens : undefined;
    const billed = this.#meter.billed(usage, prompt.counted, ceiling);
    const cut = isCut(usage, prompt);
    if (cut) this.#doubt('prompt cut by its provider', { usage, counted: prompt.counted });
    const settings = honoured(this.request.turn, candidate.endpoint, ceiling);
    const { finish } = this.#meter;
    const own: AttemptRecord = {
      endpoint: candidate.endpoint.id,
      provider: candidate.endpoint.provider.name,
      status: attempt.status,
      outcome: failure ? 'failed' : finish === null ? 'aborted' : 'served',
      latencyMs: tenths(firstAt - sentAt),
      ...(failure === null ? null : { reason: failure.category }),
    };
    return {
      candidate,
      attempt: holdAttempt,
      admittedAt,
      delivered: this.#delivered,
      broken: failure !== null || (this.flight.stopReason !== null && finish === null),
      usage,
      billed,
      estimated: billed !== usage,
      ...(refused === undefined ? null : { promptTokensRefused: refused }),
      ...(cut ? { promptTokensCut: prompt.counted } : null),
      media: {},
      finishReason: failure ? 'error' : (finish?.reason ?? null),
      nativeFinishReason: finish?.native ?? null,
      upstreamId: attempt.upstreamId,
      cancelled: this.#cancelled,
      admittedMs,
      honoured: cut ? { ...settings, messages: false } : settings,
      latencyMs: tenths(firstAt - this.request.startedAt),
      generationMs: tenths(now - this.request.startedAt),
      attempts: attempts.length === 0 ? [own] : [...attempts, own],
    };
  }

  #doubt(message: string, more?: object): void {
    this.#services.evidence.doubt(this.request, this.#begun.candidate, message, more);
  }

  /** At the end for the client, since a later turn may have ended before this one is read to its end. */
  #remember(): void {
    const { turn, caller } = this.request;
    this.#services.planner.remember(caller.account, turn.conversation, this.#begun.candidate.endpoint);
  }
}

/** Fewer tokens are reported than the whole prompt can have; 0 is a placeholder. (rule K82) */
function isCut({ promptTokens = 0 }: Usage, { reportedMin }: PromptTokens): boolean {
  return promptTokens > 0 && promptTokens < reportedMin;
}
