import type { AttemptRecord } from '../../actors/terms/hold.ts';
import { isPausedOn } from '../../actors/terms/pause.ts';
import type { Refusal } from '../../actors/terms/refusal.ts';
import { compare } from '../../actors/terms/usd.ts';
import { LOOP_TURN_BYTES, loopShare } from '../overload/loop-work.ts';
import { PromptMeter, pricesPromptUnits } from '../pricing/prompt-units.ts';
import type { ProviderAttempt, ProviderUpload } from '../providers/adapter.ts';
import { open } from '../providers/call/open.ts';
import { failureOf } from '../providers/failure-of.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import { CallerLeft, GatewayError, refusalError } from '../terms/gateway-error.ts';
import type { Candidate } from '../terms/plan.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { hasStoredSound } from './attach-files.ts';
import { releaseHold } from './end-hold.ts';
import { exhausted } from './exhausted.ts';
import { ExpressibleAttempt } from './expressible-attempt.ts';
import { endedEarly, firstDelivery } from './first-delivery.ts';
import { Hold, type Secured } from './hold.ts';
import { accountTag } from './outcomes.ts';
import type { FailedEndpoint } from './refused-by-all.ts';
import { type Begun, RunningAttempt, type RunningTurn } from './running-turn.ts';
import type { InferenceServices } from './services.ts';
import { toolAsk } from './tool-ask.ts';
import type { TurnRequest } from './turn-request.ts';
import { tenths } from './usage-meter.ts';

/** Calls of one request to one endpoint: the first, and one more before its failure counts against the endpoint. */
const CALLS_PER_ENDPOINT_MAX = 2;
/** Endpoints that one request is sent to; also, endpoints that are recorded as skipped for money. */
const ENDPOINTS_MAX = 16;

/**
 * Runs one turn up to its first delivery: holds the money, tries the plan's endpoints in order, and resolves with the
 * running turn. Rejects with `GatewayError` when the turn ended before anything was delivered: then nothing is charged
 * and the hold is released in the background. (rule I115, rule K53, rule I132)
 */
export function runTurn(services: InferenceServices, request: TurnRequest): Promise<RunningTurn> {
  return new AttemptLoop(services, request).run();
}

/** One turn before its first delivery. */
class AttemptLoop {
  readonly #services: InferenceServices;
  readonly #request: TurnRequest;
  readonly #hold: Hold;
  readonly #attempts: AttemptRecord[] = [];
  readonly #failed: FailedEndpoint[] = [];
  readonly #unaffordable: Candidate[] = [];
  /** The messages as they are sent to the endpoint that is tried. */
  #messages: readonly TurnMessage[] = [];
  #promptMeter: PromptMeter | null = null;
  /** Of the refusals for money the one that the client can do most about. */
  #short: Refusal | null = null;
  /** Ends the current upstream call. */
  #abort: () => void = nothing;

  constructor(services: InferenceServices, request: TurnRequest) {
    this.#services = services;
    this.#request = request;
    this.#hold = new Hold(services, request);
  }

  async run(): Promise<RunningTurn> {
    const { signal, plan, files } = this.#request;
    signal?.addEventListener('abort', this.#leave);
    try {
      for (const planned of plan.candidates) {
        if (this.#isOver() || this.#failed.length === ENDPOINTS_MAX) break;
        if (this.#isPausedSince(planned)) continue;
        const isPlain = !pricesPromptUnits(planned.endpoint.tariff);
        const secured = await (isPlain ? this.#hold.secure(planned) : this.#secureMetered(planned));
        if ('refusal' in secured) {
          this.#pass(planned, secured.refusal);
          continue;
        }
        this.#request.onHeld?.();
        this.#messages = files === undefined ? planned.messages : await files.attach(planned.messages);
        if (this.#hasLeft()) break;
        const begun = await this.#tryEndpoint(secured.candidate);
        if (begun) return new RunningAttempt(this.#services, this.#request, begun);
      }
      throw this.#hasLeft() ? new CallerLeft() : this.#failure();
    } catch (thrown) {
      this.#release(thrown);
      throw thrown;
    } finally {
      signal?.removeEventListener('abort', this.#leave);
    }
  }

  /** The plan leaves out what was paused then; an earlier endpoint may have taken minutes to fail. */
  #isPausedSince({ endpoint: { id, provider } }: Candidate): boolean {
    return this.#failed.length > 0 && isPausedOn(this.#services.cluster.board, id, provider.slug);
  }

  /** The seconds of stored sound are measured from its bytes, which are read once the rest of the cost is held. */
  async #secureMetered(planned: Candidate): Promise<Secured> {
    const { files } = this.#request;
    let { messages } = planned;
    if (files !== undefined && hasStoredSound(messages)) {
      const secured = await this.#hold.secure(planned);
      if ('refusal' in secured) return secured;
      messages = await files.attach(messages);
    }
    this.#promptMeter ??= new PromptMeter(this.#services.clock);
    const { promptUnits } = await this.#promptMeter.metered({ ...planned, messages });
    return this.#hold.secure(promptUnits === undefined ? planned : { ...planned, promptUnits });
  }

  readonly #leave = (): void => this.#abort();

  #hasLeft(): boolean {
    return this.#request.signal?.aborted ?? false;
  }

  /** The error after the last endpoint: 402 if the money reached for none. */
  #failure(): GatewayError {
    if (this.#failed.length > 0 || this.#short === null) {
      return exhausted(this.#failed, this.#request, this.#unaffordable);
    }
    return refusalError(this.#short, this.#services.cluster.now());
  }

  /** Skips an endpoint that the balance cannot cover, at any place of the plan. Throws any other refusal. */
  #pass(candidate: Candidate, refusal: Refusal): void {
    if (refusal.status !== 402) throw refusalError(refusal, this.#services.cluster.now());
    if (this.#short === null || isCloser(refusal, this.#short)) this.#short = refusal;
    if (this.#unaffordable.length === ENDPOINTS_MAX) return;
    this.#unaffordable.push(candidate);
    this.#attempts.push({
      ...endpointOf(candidate),
      status: null,
      outcome: 'skipped',
      latencyMs: null,
      reason: refusal.type,
    });
  }

  /** Null when the endpoint failed. One function, since each awaited call costs every request a further promise. */
  async #tryEndpoint(candidate: Candidate, call = 1): Promise<Begun | null> {
    const { clock, config, crashpoint } = this.#services;
    const { inexpressible, stream } = this.#request.turn;
    let sentAt = clock.monotonic();
    let attempt: ProviderAttempt | null = null;
    const span = this.#spanOf(candidate);
    try {
      let body: string | ProviderUpload | undefined;
      if (this.#request.bytes > LOOP_TURN_BYTES) {
        body = await this.#writeLarge(candidate);
        if (this.#hasLeft()) return null;
        sentAt = clock.monotonic();
      }
      const opening = this.#open(candidate, body, span);
      crashpoint('upstream.sent');
      attempt = await opening;
      if (inexpressible) attempt = new ExpressibleAttempt(attempt, inexpressible, stream);
      if (this.#hasLeft()) attempt.abort();
      const first = await firstDelivery(attempt, this.#request.turn, config.upstream.bodyBytesMax);
      if (first === null) throw endedEarly(attempt);
      crashpoint('upstream.firstbyte');
      return {
        candidate,
        attempt,
        first,
        holdAttempt: this.#hold.attempt,
        admittedAt: this.#hold.admittedAt,
        admittedMs: this.#hold.admittedMs,
        held: this.#hold.amount,
        attempts: this.#attempts,
        sentAt,
        firstAt: clock.monotonic(),
        span,
      };
    } catch (thrown) {
      attempt?.abort();
      const failure = failureOf(thrown, null);
      span?.end(failure.category);
      this.#record(candidate, failure, sentAt);
      const unrepeated = failure.repeatable && call < CALLS_PER_ENDPOINT_MAX;
      if (unrepeated && !this.#isOver()) return this.#tryEndpoint(candidate, call + 1);
      this.#failed.push({ candidate, failure });
      this.#observe(candidate, failure, { sentAt, counted: failure.counted && !unrepeated });
      return null;
    }
  }

  /** True when the client has left or the request's time is used up: no further call is made. */
  #isOver(): boolean {
    return this.#hasLeft() || this.#leftMs() <= 0;
  }

  #leftMs(): number {
    const { clock, config } = this.#services;
    return config.upstream.totalMs - (clock.monotonic() - this.#request.startedAt);
  }

  /** Writing a large turn takes long, and so does its conversion to bytes: each gets an event loop turn of its own. */
  async #writeLarge(candidate: Candidate): Promise<string | ProviderUpload> {
    const { clock, targets } = this.#services;
    await loopShare(clock, this.#request.bytes);
    const body = targets.of(candidate.endpoint).write(this.#turn(), candidate.completionTokensMax);
    if (typeof body === 'string') await loopShare(clock, body.length);
    return body;
  }

  #turn(): Turn {
    const { turn } = this.#request;
    const messages = this.#messages;
    return messages === turn.messages ? turn : { ...turn, messages };
  }

  #spanOf({ model, endpoint }: Candidate): TraceSpan | undefined {
    const { span } = this.#services;
    return span?.child('call provider', { 'troupe.model': model, 'troupe.provider': endpoint.provider.name });
  }

  #open(
    candidate: Candidate,
    body: string | ProviderUpload | undefined,
    span: TraceSpan | undefined,
  ): Promise<ProviderAttempt> {
    const { clock, config, outbound, refusals, replyRoom, streamShares, targets } = this.#services;
    const { turn, generation, caller } = this.#request;
    const { connectMs, firstByteMs, idleMs, bodyBytesMax, lineBytesMax } = config.upstream;
    return open(outbound, {
      target: targets.of(candidate.endpoint),
      turn: this.#turn(),
      body,
      ceiling: candidate.completionTokensMax,
      generation,
      trace: span?.traceparent,
      limits: {
        connectMs,
        firstByteMs,
        idleMs,
        totalMs: Math.max(1, this.#leftMs()),
        bodyBytesMax: turn.stream ? bodyBytesMax * STREAM_BYTES_FACTOR : bodyBytesMax,
      },
      lineBytesMax,
      sharing: {
        clock,
        room: (bytes) => replyRoom.take(caller.account, bytes),
        streamShare: (bytes) => streamShares.take(caller.account, bytes),
      },
      refusals: refusals.sinkFor(candidate.endpoint, generation),
      begun: this.#begun,
    });
  }

  readonly #begun = (abort: () => void): void => {
    this.#abort = abort;
  };

  #record(candidate: Candidate, failure: ProviderFailure, sentAt: number): void {
    const attempt: AttemptRecord = {
      ...endpointOf(candidate),
      status: failure.status,
      outcome: failure.reason === 'aborted' ? 'aborted' : 'failed',
      latencyMs: tenths(this.#services.clock.monotonic() - sentAt),
      reason: failure.category,
    };
    this.#attempts.push(attempt);
    this.#services.measures.attemptEnded({ model: candidate.model, provider: attempt.provider }, attempt);
  }

  #observe(
    candidate: Candidate,
    failure: ProviderFailure,
    { sentAt, counted }: { readonly sentAt: number; readonly counted: boolean },
  ): void {
    const ask = toolAsk(this.#request.turn, failure);
    this.#services.keyAlarms.failed(candidate.endpoint.provider.slug, failure);
    this.#services.outcomes.observe(candidate.endpoint.id, {
      by: accountTag(this.#request.caller.account),
      at: this.#services.cluster.now(),
      outcome: counted ? 'error' : 'other',
      ...(failure.isProvidersFault ? { failure: failure.shown } : {}),
      streamed: this.#request.turn.stream,
      ...(ask === null ? {} : { toolAsk: ask }),
      durationMs: this.#services.clock.monotonic() - sentAt,
    });
  }

  /** Releases the hold, including one whose grant is uncertain. */
  #release(thrown: unknown): void {
    const { releaseAttempt: attempt, admittedMs } = this.#hold;
    if (attempt === null) return;
    const { generation, caller, startedAt } = this.#request;
    const known = thrown instanceof GatewayError;
    releaseHold(this.#services, caller.account, {
      generation,
      attempt,
      reason: known ? thrown.message : 'Internal Server Error',
      status: known ? thrown.status : 500,
      attempts: this.#attempts,
      totalMs: tenths(this.#services.clock.monotonic() - startedAt),
      ...(admittedMs === null ? {} : { admittedMs }),
    });
  }
}

function nothing(): void {}

/** True when the first refusal admits a larger ceiling, or requires less money. */
function isCloser({ metadata: first = {} }: Refusal, { metadata: second = {} }: Refusal): boolean {
  const [larger, smaller] = [Number(first.affordable_max_tokens), Number(second.affordable_max_tokens)];
  if (larger !== smaller) return larger > smaller;
  return compare(String(first.required ?? '0'), String(second.required ?? '0')) < 0;
}

function endpointOf({ endpoint }: Candidate): { endpoint: string; provider: string } {
  return { endpoint: endpoint.id, provider: endpoint.provider.name };
}

/** A stream spends many bytes on little text, and its bytes are not kept in memory. */
const STREAM_BYTES_FACTOR = 16;
