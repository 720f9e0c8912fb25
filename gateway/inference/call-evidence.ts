import type { ObservedAttempt as Observed } from '../../actors/endpoint/window.ts';
import type { CallFailure } from '../../actors/terms/endpoint.ts';
import type { AttemptRecord, Settlement } from '../../actors/terms/hold.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import type { LogRecord } from '../terms/log-record.ts';
import type { Measures } from '../terms/measures.ts';
import type { Candidate } from '../terms/plan.ts';
import type { Receipt } from '../terms/receipt.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import type { KeyAlarms } from './reports/key-alarms.ts';
import { accountTag, type Outcomes } from './reports/outcomes.ts';
import { toolAsk } from './tool-ask.ts';
import type { TurnRequest } from './turn-request.ts';
import type { UsageMeter } from './usage-meter.ts';

interface EvidenceParts {
  /** Store time, ms. */
  readonly now: () => number;
  readonly outcomes: Outcomes;
  readonly keyAlarms: KeyAlarms;
  readonly measures: Pick<Measures, 'attemptEnded' | 'turnServed' | 'usageRefused' | 'charged'>;
  readonly log: (record: LogRecord) => void;
}

/** An attempt whose answer had begun. */
interface EndedAttempt {
  readonly candidate: Candidate;
  /** Monotonic ms. */
  readonly sentAt: number;
  readonly firstAt: number;
  readonly endedAt: number;
  readonly meter: UsageMeter;
  /** Null: the answer reached its end, or its client left. */
  readonly failure: ProviderFailure | null;
}

/**
 * What the attempts of one node's turns say of their endpoints: samples for the endpoints' actors, alarms for refused
 * keys, the node's figures and its log. It decides nothing of a turn and no amount.
 */
export class CallEvidence {
  readonly #parts: EvidenceParts;

  constructor(parts: EvidenceParts) {
    this.#parts = parts;
  }

  /** A call failed before its first part. */
  failed(candidate: Candidate, attempt: AttemptRecord): void {
    this.#parts.measures.attemptEnded({ model: candidate.model, provider: attempt.provider }, attempt);
  }

  /** The request leaves the endpoint after a failure, `counted` where it is the endpoint's fault. */
  givenUp(
    { turn, caller }: TurnRequest,
    { endpoint }: Candidate,
    failure: ProviderFailure,
    { tookMs, counted }: { readonly tookMs: number; readonly counted: boolean },
  ): void {
    const ask = toolAsk(turn, failure);
    this.#parts.keyAlarms.failed(endpoint.provider.slug, failure);
    this.#parts.outcomes.observe(endpoint.id, {
      by: accountTag(caller.account),
      at: this.#parts.now(),
      outcome: counted ? 'error' : 'other',
      ...(failure.isProvidersFault ? { failure: failure.shown } : {}),
      streamed: turn.stream,
      ...(ask === null ? {} : { toolAsk: ask }),
      durationMs: tookMs,
    });
  }

  /** An answer that had begun has ended, whole or broken off. */
  ended({ turn, caller }: TurnRequest, receipt: Receipt, attempt: EndedAttempt): void {
    const { candidate, sentAt, firstAt, endedAt, meter, failure } = attempt;
    const { measures, keyAlarms, outcomes } = this.#parts;
    const { promptTokensRefused } = receipt;
    measures.turnServed(receipt);
    if (promptTokensRefused !== undefined) measures.usageRefused();
    if (failure === null) keyAlarms.served(candidate.endpoint.provider.slug);
    const { promptTokens = 0, completionTokens } = receipt.usage;
    const refused = failure === null ? promptTokensRefused : undefined;
    const seen: { -readonly [member in keyof Observed]: Observed[member] } = {
      by: accountTag(caller.account),
      at: this.#parts.now(),
      outcome: refused === undefined ? outcomeOf(failure, receipt) : 'error',
      streamed: turn.stream,
      durationMs: endedAt - sentAt,
    };
    // Hidden reasoning, or words before the part that is owed, precede the first part: the time to first token is unknown.
    if (!turn.reasoning?.excluded && rulesOf(turn).owed === null) seen.ttftMs = firstAt - sentAt;
    if (completionTokens !== undefined) {
      seen.completionTokens = completionTokens;
      const runaway = seen.outcome === 'success' ? meter.runaway(completionTokens) : null;
      if (runaway !== null) seen.runaway = runaway;
    }
    seen.tokens = promptTokens + (completionTokens ?? 0);
    if (failure?.isProvidersFault) seen.failure = failure.shown;
    else if (refused !== undefined) seen.failure = miscount(refused, candidate.prompt);
    const renderPixels = meter.onlyImagePixels;
    if (renderPixels !== null) seen.renderPixels = renderPixels;
    const ask = toolAsk(turn, failure ?? (receipt.finishReason === null ? 'left' : 'served'));
    if (ask !== null) seen.toolAsk = ask;
    outcomes.observe(candidate.endpoint.id, seen);
  }

  charged({ candidate: { model, endpoint } }: Receipt, settlement: Settlement): void {
    this.#parts.measures.charged({ model, provider: endpoint.provider.name }, settlement);
  }

  /** Something that an endpoint reported or sent is not what it may be. */
  doubt({ generation }: TurnRequest, { endpoint }: Candidate, message: string, more: object = {}): void {
    this.#parts.log({ level: 'warn', message, generation, endpoint: endpoint.id, ...more });
  }
}

/** Why an answer with an implausible report counts as an error. */
function miscount(reported: number, { counted, reportedMax }: Candidate['prompt']): CallFailure {
  const text = `${reported} prompt tokens are reported; ${counted} are counted, and at most ${reportedMax} are plausible`;
  return { category: 'implausible_usage', text };
}

/** A reply that broke off counts even where its error is a limit of the provider. (rule I133) */
function outcomeOf(failure: ProviderFailure | null, { finishReason }: Receipt): Observed['outcome'] {
  if (failure !== null) return failure.isProvidersFault ? 'error' : 'other';
  return finishReason === null ? 'other' : 'success';
}
