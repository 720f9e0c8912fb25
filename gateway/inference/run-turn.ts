import type { AttemptRecord } from '../../actors/terms/hold.ts';
import type { Refusal } from '../../actors/terms/refusal.ts';
import { compare } from '../../actors/terms/usd.ts';
import { type Flight, stoppedByOperator } from '../inflight/flights.ts';
import { LOOP_TURN_BYTES, loopShare } from '../overload/loop-work.ts';
import { PromptMeter, pricesPromptUnits } from '../pricing/prompt-units.ts';
import type { ProviderAttempt, ProviderUpload } from '../providers/adapter.ts';
import { failureOf } from '../providers/failure-of.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import { CallerLeft, GatewayError } from '../terms/gateway-error.ts';
import type { Candidate } from '../terms/plan.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { hasStoredSound } from './attach-files.ts';
import { beginCall, failCall } from './call-span.ts';
import { exhausted } from './exhausted.ts';
import { ExpressibleAttempt } from './expressible-attempt.ts';
import { endedEarly, firstDelivery } from './first-delivery.ts';
import { Hold, type Secured } from './hold.ts';
import type { Inference } from './inference.ts';
import type { FailedEndpoint } from './refused-by-all.ts';
import { type Begun, RunningAttempt, type RunningTurn } from './running-turn.ts';
import type { TurnRequest } from './turn-request.ts';
import { tenths } from './usage-meter.ts';

/** Of a node's inference, what runs a turn that is planned. */
type TurnServices = Omit<Inference, 'files'>;

/** Calls of one request to one endpoint: the first, and one more before its failure counts against the endpoint. */
const CALLS_PER_ENDPOINT_MAX = 2;
/** Endpoints that one request is sent to; also, endpoints that are recorded as skipped for money. */
const ENDPOINTS_MAX = 16;

/**
 * Runs one turn up to its first delivery: holds the money, tries the plan's endpoints in order, and resolves with the
 * running turn. Rejects with `GatewayError` when the turn ended before anything was delivered: then nothing is charged
 * and the hold is released in the background. (rule I115, rule K53, rule I132)
 */
export function runTurn(services: TurnServices, request: TurnRequest): Promise<RunningTurn> {
  return new AttemptLoop(services, request).run();
}

/** One turn before its first delivery. */
class AttemptLoop {
  readonly #services: TurnServices;
  readonly #request: TurnRequest;
  readonly #hold: Hold;
  readonly #flight: Flight;
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

  constructor(services: TurnServices, request: TurnRequest) {
    this.#services = services;
    this.#request = request;
    this.#hold = new Hold(services.holds, request);
    const { generation: id, runAttempt, caller, plan } = request;
    const kind = runAttempt === undefined ? 'request' : 'line';
    const model = plan.candidates[0]?.model ?? '';
    this.#flight = services.flights.begin({ id, kind, account: caller.account, key: caller.key, model });
    this.#flight.onStop = this.#leave;
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
        if (this.#isEnded()) break;
        const begun = await this.#tryEndpoint(secured.candidate);
        if (begun) return new RunningAttempt(this.#services, this.#request, begun);
      }
      throw this.#failure();
    } catch (thrown) {
      this.#services.flights.end(this.#request.generation, this.#flight);
      this.#release(thrown);
      throw thrown;
    } finally {
      signal?.removeEventListener('abort', this.#leave);
    }
  }

  /** The plan leaves out what was paused then; an earlier endpoint may have taken minutes to fail. */
  #isPausedSince({ endpoint: { id, provider } }: Candidate): boolean {
    return this.#failed.length > 0 && this.#services.planner.isPaused(id, provider.slug);
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

  /** The client has left, or an operator stopped the request. */
  #isEnded(): boolean {
    return this.#hasLeft() || this.#flight.stopReason !== null;
  }

  /** The error of a turn that was not begun, or after the last endpoint: 402 if the money reached for none. */
  #failure(): GatewayError {
    if (this.#hasLeft()) return new CallerLeft();
    if (this.#flight.stopReason !== null) return stoppedByOperator(this.#flight.stopReason);
    if (this.#failed.length > 0 || this.#short === null) {
      return exhausted(this.#failed, this.#request, this.#unaffordable);
    }
    return this.#services.holds.errorOf(this.#short);
  }

  /** Skips an endpoint that the balance cannot cover, at any place of the plan. Throws any other refusal. */
  #pass(candidate: Candidate, refusal: Refusal): void {
    if (refusal.status !== 402) throw this.#services.holds.errorOf(refusal);
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
    const { clock, calls } = this.#services;
    const { crashPoint, turn } = this.#request;
    let sentAt = clock.monotonic();
    let attempt: ProviderAttempt | null = null;
    let span: TraceSpan | undefined;
    try {
      let body: string | ProviderUpload | undefined;
      if (this.#request.bytes > LOOP_TURN_BYTES) {
        body = await this.#writeLarge(candidate);
        if (this.#isEnded()) return null;
        sentAt = clock.monotonic();
      }
      span = beginCall(this.#request, candidate);
      this.#flight.aim(this.#targetOf(candidate));
      const opening = calls.open(this.#request, candidate, {
        turn: this.#turn(candidate),
        body,
        span,
        begun: this.#begun,
      });
      crashPoint?.('upstream.sent');
      attempt = await opening;
      if (turn.inexpressible) attempt = new ExpressibleAttempt(attempt, turn.inexpressible, turn.stream);
      if (this.#isEnded()) attempt.abort();
      const first = await firstDelivery(attempt, turn, calls.limits.bodyBytesMax);
      if (first === null) throw endedEarly(attempt);
      crashPoint?.('upstream.firstbyte');
      return {
        candidate,
        attempt,
        first,
        holdAttempt: this.#hold.attempt,
        admittedAt: this.#hold.admittedAt,
        admittedMs: this.#hold.admittedMs,
        held: this.#hold.amount,
        beganAt: this.#services.holds.now(),
        attempts: this.#attempts,
        sentAt,
        firstAt: clock.monotonic(),
        span,
        flight: this.#flight,
      };
    } catch (thrown) {
      attempt?.abort();
      const failure = failureOf(thrown, null);
      failCall(span, failure.category);
      this.#record(candidate, failure, sentAt);
      this.#services.planner.failed(candidate.endpoint.id, failure);
      const unrepeated = failure.repeatable && call < CALLS_PER_ENDPOINT_MAX && !this.#isVain(candidate, failure);
      if (unrepeated && !this.#isOver()) return this.#tryEndpoint(candidate, call + 1);
      this.#failed.push({ candidate, failure });
      const tookMs = clock.monotonic() - sentAt;
      const counted = failure.counted && !unrepeated;
      this.#services.evidence.givenUp(this.#request, candidate, failure, { tookMs, counted });
      return null;
    }
  }

  /** True where a call at once would be refused again, and another endpoint is left or the wait is known. (rule I144) */
  #isVain({ endpoint }: Candidate, { isRateLimit, reason, retryAfterMs }: ProviderFailure): boolean {
    if (!isRateLimit) return false;
    const isLast = endpoint === this.#request.plan.candidates.at(-1)?.endpoint;
    return !isLast || reason === 'misconfigured' || (retryAfterMs ?? 0) > 0;
  }

  /** True when the client has left or the request's time is used up: no further call is made. */
  #isOver(): boolean {
    return this.#isEnded() || this.#services.calls.leftMs(this.#request.startedAt) <= 0;
  }

  /** Writing a large turn takes long, and so does its conversion to bytes: each gets an event loop turn of its own. */
  async #writeLarge(candidate: Candidate): Promise<string | ProviderUpload> {
    const { clock, calls } = this.#services;
    await loopShare(clock, this.#request.bytes);
    const body = calls.write(candidate, this.#turn(candidate));
    if (typeof body === 'string') await loopShare(clock, body.length);
    return body;
  }

  /** A ceiling that the money lowered counts as requested: the charge ends there, and so does the answer. */
  #turn({ lowered, completionTokensMax }: Candidate): Turn {
    const { turn } = this.#request;
    const messages = this.#messages;
    if (lowered) return { ...turn, messages, completionTokensMax };
    return messages === turn.messages ? turn : { ...turn, messages };
  }

  #targetOf({ model, endpoint: { id: endpoint, provider } }: Candidate) {
    return { model, endpoint, provider: provider.slug, held: this.#hold.amount };
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
    this.#services.evidence.failed(candidate, attempt);
  }

  /** Releases the hold, including one whose grant is uncertain. */
  #release(thrown: unknown): void {
    const { releaseAttempt: attempt, admittedMs } = this.#hold;
    if (attempt === null) return;
    const { generation, startedAt } = this.#request;
    const known = thrown instanceof GatewayError;
    this.#services.holds.release(this.#request, {
      generation,
      attempt,
      reason: known ? thrown.message : 'Internal Server Error',
      status: known ? thrown.status : 500,
      attempts: this.#attempts,
      totalMs: this.#services.holds.msSince(startedAt),
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
