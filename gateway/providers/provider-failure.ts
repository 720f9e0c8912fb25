import { type CallFailure, FAILURE_CHARACTERS_MAX } from '../../actors/terms/endpoint.ts';
import type { ProviderRefusal } from './refusal/provider-refusal.ts';

/** How an attempt failed: decides whether to retry and whether the failure counts against the endpoint's health. */
export type FailureCause =
  /** No connection, a broken connection, 5xx, an error instead of an answer. */
  | 'unavailable'
  /** 429, 503 or 529: the provider reports overload, or that the operator's rate is used up. */
  | 'overloaded'
  /** A time-out of connection, first byte, progress or the whole call. */
  | 'timeout'
  /**
   * The provider refuses this request, see `refusal`; another endpoint may accept it. Not counted against its health.
   */
  | 'rejected'
  /** The provider refuses the operator's key, its account has no credit left, or the model is unknown. */
  | 'misconfigured'
  /** An invalid answer: broken JSON, wrong type, an endless line, no finish reason. */
  | 'garbage'
  /** Text although the request required a tool call or a picture. */
  | 'contract'
  /** The gateway aborted the attempt. Not counted against the endpoint's health. */
  | 'aborted';

/** What an attempt rejects with. `message` is for the log only and never quotes the provider, which may echo a key. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly reason: FailureCause;
  /** Upstream HTTP status; null when none arrived. */
  readonly status: number | null;
  /** What the provider refused; null for any failure but `rejected`. */
  readonly refusal: ProviderRefusal | null;
  /** What the provider said, redacted; set by the reader of the raw answer. */
  words: string | null = null;
  /** How long the provider asks not to be called, in ms; null where it names no time. Unbounded. */
  retryAfterMs: number | null = null;

  constructor(
    reason: FailureCause,
    message: string,
    status: number | null = null,
    refusal: ProviderRefusal | null = reason === 'rejected' ? UNEXPLAINED : null,
  ) {
    super(message);
    this.reason = reason;
    this.status = status;
    this.refusal = refusal;
  }

  /** The failure in one word, for records and callers: the code of a refusal, else the cause. */
  get category(): string {
    return this.refusal?.code ?? this.reason;
  }

  /** For operators. */
  get shown(): CallFailure {
    const text = this.words === null ? this.message : `${this.message}: ${this.words}`;
    return { category: this.category, text: text.replace(UNPRINTABLE, ' ').slice(0, FAILURE_CHARACTERS_MAX) };
  }

  /** Called once more before it counts. (rule I132) */
  get repeatable(): boolean {
    return this.isProvidersFault && this.reason !== 'contract';
  }

  /**
   * The operator's rate or quota at the provider is used up: a call at once would be refused as well, and be counted
   * there.
   */
  get isRateLimit(): boolean {
    if (this.status === 429) return true;
    return this.reason === 'overloaded' && this.isProvidersFault && !OVERLOADS.has(this.status ?? 0);
  }

  /**
   * Counts against the endpoint's health and uptime when nothing was delivered. The operator's own rate and permissions
   * at the provider say nothing about whether the endpoint works. (rule I133)
   */
  get counted(): boolean {
    return this.isProvidersFault && !this.isRateLimit && this.status !== 403;
  }

  /** Neither the request nor the gateway is at fault. A reply that breaks off for it counts, whatever its status. */
  get isProvidersFault(): boolean {
    return this.reason !== 'rejected' && this.reason !== 'aborted';
  }
}

/** Would reach a terminal: messages hold texts of certificates. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** The provider's own load. */
const OVERLOADS: ReadonlySet<number> = new Set([503, 529]);

const UNEXPLAINED: ProviderRefusal = { code: 'invalid_request' };
