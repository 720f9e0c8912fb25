import { AskError } from '../../actors/runtime/index.ts';
import { type HoldRequest, holdAttempt } from '../../actors/terms/hold.ts';
import { fitsOnceReleased, type PaymentScope, paymentRequired, type Refusal } from '../../actors/terms/refusal.ts';
import { add, compare } from '../../actors/terms/usd.ts';
import { estimate } from '../pricing/estimate.ts';
import { inputImages, mediaBounds } from '../pricing/media-bounds.ts';
import { unanswered } from '../terms/gateway-error.ts';
import type { Candidate } from '../terms/plan.ts';
import { rulesOf, windowsOf } from '../terms/turn-kind.ts';
import type { Holds } from './holds.ts';
import { routeDecision } from './route-decision.ts';
import type { TurnRequest } from './turn-request.ts';

/** Times that a ceiling is lowered: by the key's limit, by the account's balance, and where either shrank meanwhile. */
const LOWERED_MAX = 3;
/** Asks for holds of one turn: four for each of the 16 endpoints that it may be sent to. */
const ASKS_MAX = 64;

/** The candidate as its money is held, or the refusal of the key or the account. */
export type Secured = { readonly candidate: Candidate } | { readonly refusal: Refusal };

/**
 * Opens the hold of one turn: admitted before any provider is contacted, raised where the next endpoint costs more. It
 * never ends a hold: `Holds` charges and releases.
 */
export class Hold {
  readonly #holds: Holds;
  readonly #request: TurnRequest;
  #attempt = 0;
  /** How many holds this run has requested. */
  #requested = 0;
  /** The highest attempt number ever requested: a refused one may have been granted before its repeat was refused. */
  #attemptRequested = 0;
  #admittedAt: number | null = null;
  #admittedMs: number | null = null;
  /** Exact decimal USD. */
  #amount = '0';
  /** The last refusal for money since the last grant; null without one. */
  #short: Refusal | null = null;

  constructor(holds: Holds, request: TurnRequest) {
    this.#holds = holds;
    this.#request = request;
  }

  /**
   * The attempt that a release has to name: the highest requested, since a request without an answer may still have
   * been granted. Null when no money can be held.
   */
  get releaseAttempt(): number | null {
    return this.#attempt === 0 ? null : this.#attemptRequested;
  }

  /** Attempt number under which the money is held now; 0 before the hold. */
  get attempt(): number {
    return this.#attempt;
  }

  /**
   * Store time, ms, of the turn's admission; fixed on first use. Prices with a time window are read at this instant for
   * every endpoint that is tried and for the charge. (rule K75)
   */
  get admittedAt(): number {
    this.#admittedAt ??= Math.floor(this.#holds.now());
    return this.#admittedAt;
  }

  /** What is held now, USD; 0 before the hold. */
  get amount(): string {
    return this.#amount;
  }

  /** Milliseconds from the request's start until money was held; null before the hold. */
  get admittedMs(): number | null {
    return this.#admittedMs;
  }

  /**
   * Holds the candidate's maximum cost. A ceiling that the client did not request is lowered to what the money affords,
   * down to a configured least. A refusal for lack of money names the ceiling that would be admitted. Rejects with a
   * 503. (rule K59) A candidate that costs more than an earlier refusal left is refused without another
   * ask.
   */
  async secure(candidate: Candidate): Promise<Secured> {
    const { completionTokensLeast } = this.#holds;
    const isRequested = this.#request.turn.completionTokensMax !== undefined;
    for (let asked = candidate, lowered = 0; ; lowered++) {
      const refusal = this.#foreseen(asked) ?? (await this.#ask(asked));
      if (refusal === null) return { candidate: asked };
      if (refusal.status !== 402) return { refusal };
      this.#short = refusal;
      const ceiling = this.#affordable(asked, refusal);
      if (isRequested || ceiling < completionTokensLeast || lowered === LOWERED_MAX) {
        return { refusal: withAffordable(this.#withHeld(refusal, candidate), ceiling) };
      }
      asked = { ...candidate, completionTokensMax: ceiling, lowered: true };
    }
  }

  /** The refusal of this candidate as far as an earlier one foretells it; null: ask. */
  #foreseen(candidate: Candidate): Refusal | null {
    if (this.#short === null) return null;
    const required = this.#estimate(candidate);
    const isBeyond = compare(required, this.#availableAt(this.#short)) > 0;
    return isBeyond || this.#requested === ASKS_MAX ? shortOf(this.#short, required) : null;
  }

  /** Asks for the candidate's maximum cost; null when it is held. */
  async #ask(candidate: Candidate): Promise<Refusal | null> {
    const first = this.#attempt === 0;
    this.#requested += 1;
    const held = this.#holdRequest(candidate, holdAttempt(this.#request.runAttempt ?? 1, this.#requested));
    this.#attemptRequested = held.attempt;
    try {
      const admission = await (first ? this.#holds.admit(this.#request, held) : this.#holds.raise(this.#request, held));
      if (!admission.admitted) return admission.refusal;
      if (first) this.#holds.opened();
      this.#attempt = held.attempt;
      this.#amount = held.amount;
      this.#short = null;
      this.#admittedMs ??= this.#holds.msSince(this.#request.startedAt);
      if (first) this.#request.crashPoint?.('hold.committed');
      return null;
    } catch (thrown) {
      if (thrown instanceof AskError && thrown.mayHaveHappened) {
        if (this.#attempt === 0) this.#holds.opened();
        this.#attempt = held.attempt;
      }
      throw unanswered(thrown);
    }
  }

  #holdRequest(candidate: Candidate, attempt: number): HoldRequest {
    const { generation, turn, attribution, idempotency, startedAt, runAttempt } = this.#request;
    const { endpoint } = candidate;
    const route = this.#attempt === 0 ? routeDecision(this.#request) : null;
    const held: { -readonly [member in keyof HoldRequest]: HoldRequest[member] } = {
      generation,
      attempt,
      amount: this.#estimate(candidate),
      gateway: this.#holds.gateway,
      deadlineAt: this.#holds.deadlineAt(startedAt),
      model: candidate.model,
      endpoint: endpoint.id,
      provider: endpoint.provider.name,
      tariff: endpoint.tariff.id,
      streamed: turn.stream,
      appTitle: attribution.appTitle,
      appUrl: attribution.appUrl,
      user: turn.user ?? null,
      sessionId: turn.conversation ?? null,
      metadata: turn.metadata === undefined ? null : JSON.stringify(turn.metadata),
      // From the second run on an earlier one may have sent this id: the account looks for its row.
      repeat: (runAttempt ?? 1) > 1,
    };
    // Set and not spread: V8 11.3 gives a spread copy with a further member a hidden class of its own each time
    // (counted: 1,484 classes in 1,485 holds), so its readers never meet a class twice.
    if (route !== null) held.route = route;
    if (idempotency !== undefined) held.idempotency = idempotency;
    const { apiType } = rulesOf(turn);
    if (apiType !== undefined) held.apiType = apiType;
    if (turn.unread !== undefined) held.unread = turn.unread;
    if (this.#request.acceptedIn !== undefined) held.workspace = this.#request.acceptedIn;
    if (this.#requested > 1 || this.#request.isCounted === true) held.counted = true;
    return held;
  }

  /** The largest ceiling that the money of a 402 affords. */
  #affordable(candidate: Candidate, refusal: Refusal): number {
    return affordableCeiling(
      (ceiling) => this.#estimate(candidate, ceiling),
      candidate.completionTokensMax - 1,
      this.#availableAt(refusal),
    );
  }

  /** The largest hold at the time of a 402. What is already held for this turn is part of it. */
  #availableAt({ metadata }: Refusal): string {
    return add(String(metadata?.available ?? '0'), this.#amount);
  }

  /**
   * Keeps `metadata.held` only where the least that this turn accepts would be admitted once the other requests have
   * ended, so its presence says that a repeat may succeed.
   */
  #withHeld(refusal: Refusal, candidate: Candidate): Refusal {
    const { held, ...metadata } = refusal.metadata ?? {};
    if (held === undefined) return refusal;
    const { turn } = this.#request;
    const { completionTokensMax: asked } = candidate;
    const { completionTokensLeast } = this.#holds;
    const least = turn.completionTokensMax === undefined ? Math.min(completionTokensLeast, asked) : asked;
    const required = this.#estimate(candidate, least);
    const isHeldBack = fitsOnceReleased({ required, available: this.#availableAt(refusal), held: String(held) });
    return isHeldBack ? refusal : { ...refusal, metadata };
  }

  #estimate(candidate: Candidate, completionTokensMax = candidate.completionTokensMax): string {
    const { endpoint, prompt, messages, promptUnits } = candidate;
    const { turn } = this.#request;
    return estimate(endpoint, {
      at: this.admittedAt,
      promptTokensHeld: prompt.held,
      windows: windowsOf(turn),
      completionTokensMax,
      media: mediaBounds(turn, endpoint, completionTokensMax),
      inputImages: inputImages(turn, messages),
      promptUnits,
    });
  }
}

/** The refusal of an endpoint that may cost `required`, made from the refusal of another one. */
function shortOf({ metadata }: Refusal, required: string): Refusal {
  const scope = (metadata?.scope ?? 'account') as PaymentScope;
  const { available = '0', held } = metadata ?? {};
  return paymentRequired(scope, { required, available: String(available), held: held as string | undefined });
}

/** Tells the client of a 402 which `max_tokens` would be admitted now. */
function withAffordable(refusal: Refusal, affordable: number): Refusal {
  const hint = affordable === 0 ? '' : `; with max_tokens up to ${affordable} it would be admitted`;
  return {
    ...refusal,
    message: `${refusal.message}${hint}`,
    metadata: { ...refusal.metadata, affordable_max_tokens: affordable },
  };
}

/**
 * The largest ceiling up to `ceilingMax` whose maximum cost is at most `availableUsd`; 0 where none is. A larger
 * ceiling never costs less, so some twenty estimates find it.
 */
function affordableCeiling(
  costOf: (completionTokensMax: number) => string,
  ceilingMax: number,
  availableUsd: string,
): number {
  let affordable = 0;
  let beyond = ceilingMax + 1;
  while (beyond - affordable > 1) {
    const middle = Math.floor((affordable + beyond) / 2);
    if (compare(costOf(middle), availableUsd) <= 0) affordable = middle;
    else beyond = middle;
  }
  return affordable;
}
