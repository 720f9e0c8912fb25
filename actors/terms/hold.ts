/**
 * The messages about one request's money between gateway, key and account. The generation row is the hold: `running`,
 * then `settled` or `released`. All amounts are exact decimal USD strings (`terms/usd`).
 */
import type { Refusal } from './refusal.ts';

/**
 * Asks for the admission of a turn: sent to the key, which cascades to its account. Events `turn.admit` and
 * `turn.raise`.
 */
export interface HoldRequest {
  /** Generation id: the natural id of the whole request. */
  readonly generation: string;
  /**
   * Increases with each run of the generation and, within a run, when the hold moves to another endpoint
   * (`holdAttempt`). Opens, raises, settles and releases of an older attempt are refused.
   */
  readonly attempt: number;
  readonly amount: string;
  /** Incarnation of the gateway's node: its death releases the hold. Null: a job holds it and outlives every node. */
  readonly gateway: string | null;
  /** Store time in ms after which the account releases the hold. */
  readonly deadlineAt: number;
  readonly model: string;
  /** Endpoint id, provider display name and slug, and the id of the tariff that applies to this attempt. */
  readonly endpoint: string;
  readonly provider: string;
  readonly tariff: string;
  readonly streamed: boolean;
  readonly appTitle: string | null;
  readonly appUrl: string | null;
  readonly user: string | null;
  readonly sessionId: string | null;
  /** The request's opaque `metadata`, JSON text; null when absent. */
  readonly metadata: string | null;
  /** Members of the body that nothing reads; absent without any. */
  readonly unread?: readonly string[];
  /** The routing decision; absent when one endpoint was the only candidate and none was rejected. */
  readonly route?: RouteDecision;
  /** True when the sender may have sent the request before. */
  readonly repeat: boolean;
  /** Present for a request with an idempotency key. */
  readonly idempotency?: Idempotency;
  /**
   * Present for a request of a job: the workspace of its key when the job was accepted, null for the default one. A key
   * that left it since is refused.
   */
  readonly workspace?: string | null;
  /** The kind of request; absent where it is answered in words. */
  readonly apiType?: ApiType;
  /** Present when this request was counted against the key's rate before: with an earlier hold, or with its job. */
  readonly counted?: true;
}

/** What a request is answered with, other than words. */
export const API_TYPES = ['embeddings', 'rerank', 'image', 'video'] as const;
export type ApiType = (typeof API_TYPES)[number];

/** Digests, under a secret of the gateways, of an idempotency key and of the request that came with it. */
export interface Idempotency {
  readonly key: string;
  readonly body: string;
}

/** The routing decision as stored with the generation, bounded. Endpoints are named by their public tags. */
export interface RouteDecision {
  /** In the order in which they are tried. */
  readonly candidates: readonly RouteCandidate[];
  readonly rejections?: readonly RouteRejection[];
  /** Number of entries left out by the bounds. */
  readonly omitted?: number;
}

export interface RouteCandidate {
  readonly endpoint: string;
  /** Present when several models were requested. */
  readonly model?: string;
  /** Number of messages that compression removed for this endpoint. */
  readonly dropped?: number;
}

export interface RouteRejection {
  readonly endpoint: string;
  /** Present when several models were requested. */
  readonly model?: string;
  readonly reason: string;
  /** The member of the request that the endpoint does not support. */
  readonly member?: string;
  /** The unsupported part, described by the gateway: a modality, a level, both sizes. */
  readonly detail?: string;
}

export type Admission =
  | { readonly admitted: true; readonly generation: string; readonly attempt: number; readonly amount: string }
  | { readonly admitted: false; readonly refusal: Refusal };

/** One upstream call, listed in the generation's `provider_responses`. */
export interface AttemptRecord {
  readonly endpoint: string;
  readonly provider: string;
  /** Upstream HTTP status; null when none arrived. */
  readonly status: number | null;
  /** `skipped`: not called, because the credit was too low for it. */
  readonly outcome: 'served' | 'failed' | 'aborted' | 'skipped';
  readonly latencyMs: number | null;
  /**
   * Category of a failure (`timeout`, `overloaded`, `contract` ...), never a provider's text; absent without a failure.
   */
  readonly reason?: string;
}

/** Media as measured and admitted; exact decimal text where a unit can be fractional. */
export interface SettledMedia {
  readonly images?: number;
  readonly megapixels?: string;
  readonly audioSeconds?: string;
  readonly inputImages?: number;
  readonly inputAudioSeconds?: string;
  readonly inputAudioUnread?: true;
  readonly inputCharacters?: number;
  /** A query with up to 100 documents is one. */
  readonly searches?: number;
  readonly videoSeconds?: string;
}

/** Ends a hold with a charge. Sent to the account as event `hold.settle`. */
export interface Settlement {
  readonly generation: string;
  readonly attempt: number;
  readonly cost: string;
  /** Units without a declared price. */
  readonly unpriced: readonly string[];
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number | null;
  readonly reasoningTokens: number | null;
  /** Tokens written to a cache for five minutes and for one hour; absent when none was reported. */
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
  /** Charged units other than tokens; absent for a turn with text only. */
  readonly media?: SettledMedia;
  /** True when the gateway counted tokens because the provider reported no usage. */
  readonly estimated: boolean;
  /**
   * The counts that the provider did not report (`prompt`, `completion`) and the gateway estimated; absent when there
   * are none.
   */
  readonly unmeasured?: readonly string[];
  /** The prompt tokens that the provider reported, where they were implausible; they are then in `unmeasured`. */
  readonly promptTokensRefused?: number;
  /** The prompt by our own count, where the provider reported so few tokens that it cannot have read all of it. */
  readonly promptTokensCut?: number;
  /**
   * The conditions under which prices were chosen: the time of admission and the prompt's length; absent without
   * conditional prices.
   */
  readonly conditions?: { readonly at: number; readonly promptTokens: number };
  /** Digest of the request's idempotency key; absent without one. */
  readonly idempotencyKey?: string;
  readonly finishReason: string | null;
  readonly nativeFinishReason: string | null;
  readonly upstreamId: string | null;
  /** The client disconnected before the end. */
  readonly cancelled: boolean;
  readonly latencyMs: number | null;
  readonly generationMs: number | null;
  /** The ceiling as sent, where it was lowered to what the money afforded. */
  readonly affordableTokensMax?: number;
  /** From the request's start until its money was held. */
  readonly admittedMs?: number;
  /** Requested settings, and whether the serving endpoint declares each; absent when none was requested. */
  readonly honoured?: Readonly<Record<string, boolean>>;
  /** Completion tokens that encode images and speech; absent when none was reported. */
  readonly imageTokens?: number;
  readonly audioTokens?: number;
  readonly attempts: readonly AttemptRecord[];
  /** The endpoint that served a job, where the hold names another one of its candidates. */
  readonly served?: ServedBy;
}

interface ServedBy {
  readonly endpoint: string;
  readonly provider: string;
  readonly tariff: string;
}

export interface Settled {
  readonly generation: string;
  /** The charge; a repeat returns the recorded one. */
  readonly cost: string;
  /** True when the hold had been released before: the exact charge is recorded all the same, and an alarm is raised. */
  readonly late: boolean;
  /**
   * The amount by which the charge exceeded the hold; the exact charge is recorded, and an alarm is raised. Absent
   * otherwise.
   */
  readonly overshoot?: string;
}

/** Ends a hold without a charge. Sent to the account as event `hold.release`. */
export interface Release {
  readonly generation: string;
  readonly attempt: number;
  /** Short and public: shown at `GET /generation`. */
  readonly reason: string;
  /** HTTP status of the response; null when unknown. */
  readonly status: number | null;
  /** From the request's start until its money was held, and until the request was given up. */
  readonly admittedMs?: number;
  readonly totalMs?: number;
  readonly attempts: readonly AttemptRecord[];
}

/** The result of a release. */
export interface Released {
  readonly generation: string;
  /** `settled`: the generation was charged before and stays charged. */
  readonly status: 'released' | 'settled';
}

/** A hold before it moved to another endpoint or to a later attempt. */
export interface HoldMove {
  readonly attempt: number;
  readonly endpoint: string;
  readonly amount: string;
}

/** The generation row (collection `generation` of the account; id = generation id; sort = createdAt). */
export interface Generation extends Omit<HoldRequest, 'repeat' | 'counted' | 'workspace'> {
  /** The workspace of its key when the money was held; absent: the default one of the account. */
  readonly workspace?: string;
  readonly status: 'running' | 'settled' | 'released';
  /** Address of the key that requested it. */
  readonly key: string;
  /** The earlier holds of this generation, before moves and later attempts; absent when there are none. */
  readonly moves?: readonly HoldMove[];
  /** Store time, ms. */
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly settlement: Settlement | null;
  readonly release: Release | null;
  readonly late: boolean;
  /** The amount by which the charge exceeded the hold; null when it did not. */
  readonly overshoot: string | null;
}

/** Holds that one run can request: more than the endpoints that a turn tries (16). */
export const HOLDS_PER_RUN_MAX = 1_000;

/**
 * The attempt number of a hold. Holds of one generation are ordered first by the run that requests them (1, 2 ...; a
 * new run starts after the death of the previous runner), then by their order within that run (1, 2 ...; a new hold is
 * requested when the turn moves to another endpoint). One integer encodes both, so account, key and rows compare
 * attempts as integers: attempt 2001 is the first hold of the third run. Throws a `RangeError` beyond the bound.
 */
export function holdAttempt(run: number, hold: number): number {
  if (!Number.isSafeInteger(run) || run < 1) throw new RangeError(`run ${run} must be an integer of at least 1`);
  if (!Number.isSafeInteger(hold) || hold < 1 || hold >= HOLDS_PER_RUN_MAX) {
    throw new RangeError(`hold ${hold} of one run is outside 1 to ${HOLDS_PER_RUN_MAX - 1}`);
  }
  return (run - 1) * HOLDS_PER_RUN_MAX + hold;
}

/** True for the first hold that any run requests: no earlier hold of the generation can be recorded. */
export function isFirstHold(attempt: number): boolean {
  return attempt <= 1;
}
