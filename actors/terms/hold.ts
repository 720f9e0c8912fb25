/**
 * The words in which gateway, key and account speak about one request's money. The generation row is the hold:
 * `running`, then `settled` or `released`. All amounts are exact decimal USD strings (`terms/usd`).
 */
import type { Refusal } from './refusal.ts';

/** What admits a turn: asked of the key, which cascades to its account. Event `turn.admit` (and `turn.raise`). */
export interface HoldRequest {
  /** Generation id: the natural id of the whole request. */
  readonly generation: string;
  /**
   * Rises with each run of the generation and, within a run, when the hold moves to another endpoint (`holdAttempt`).
   * Opens, raises, settles and releases of an older attempt are refused.
   */
  readonly attempt: number;
  readonly amount: string;
  /** Incarnation of the gateway's node: its death releases the hold. */
  readonly gateway: string;
  /** Store time in ms after which the account releases the hold by itself. */
  readonly deadlineAt: number;
  readonly model: string;
  /** Endpoint id, provider display name and slug, and the id of the tariff this attempt is charged by. */
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
  /** Where it might run and where not; absent where one endpoint was all there was to say. */
  readonly route?: RouteTrail;
  /** True when the sender may have sent it before. */
  readonly repeat: boolean;
}

/** The decision of routing as it is kept with the generation, bounded. Endpoints by their public tags. */
export interface RouteTrail {
  /** In the order of trial. */
  readonly candidates: readonly RouteCandidate[];
  readonly rejections?: readonly RouteRejection[];
  /** Entries beyond the bounds. */
  readonly omitted?: number;
}

export interface RouteCandidate {
  readonly endpoint: string;
  /** Where several models were asked for. */
  readonly model?: string;
  /** Messages that compression left out for this endpoint. */
  readonly dropped?: number;
}

export interface RouteRejection {
  readonly endpoint: string;
  /** Where several models were asked for. */
  readonly model?: string;
  readonly reason: string;
  /** The member of the request that it did not satisfy. */
  readonly member?: string;
  /** What of it, in our own words: a modality, a level, both sizes. */
  readonly detail?: string;
}

export type Admission =
  | { readonly admitted: true; readonly generation: string; readonly attempt: number; readonly amount: string }
  | { readonly admitted: false; readonly refusal: Refusal };

/** One upstream call, for the generation's fallback trail (`provider_responses`). */
export interface AttemptRecord {
  readonly endpoint: string;
  readonly provider: string;
  /** Upstream HTTP status; null when none arrived. */
  readonly status: number | null;
  /** `skipped`: never called, since the money did not reach for it. */
  readonly outcome: 'served' | 'failed' | 'aborted' | 'skipped';
  readonly latencyMs: number | null;
  /** Category of a failure (`timeout`, `overloaded`, `contract` ...), never a provider's words; absent where none. */
  readonly reason?: string;
}

/** Media as they were measured and admitted; exact decimal text where a unit is not whole. */
export interface SettledMedia {
  readonly images?: number;
  readonly megapixels?: string;
  readonly audioSeconds?: string;
  readonly inputImages?: number;
}

/** Ends a hold with a charge. Asked of the account: event `hold.settle`. */
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
  /** Written to a cache for five minutes, and for one hour; absent where none was reported. */
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
  /** What was charged beside tokens; absent where the turn carried and brought text alone. */
  readonly media?: SettledMedia;
  /** True when we counted ourselves because no usage was reported. */
  readonly estimated: boolean;
  /** The counts that nobody reported (`prompt`, `completion`): what stands for them is our own. Absent where none. */
  readonly unmeasured?: readonly string[];
  /** Under what conditional prices were read: the instant of admission and the prompt's length; absent where none exist. */
  readonly conditions?: { readonly at: number; readonly promptTokens: number };
  readonly finishReason: string | null;
  readonly nativeFinishReason: string | null;
  readonly upstreamId: string | null;
  /** The caller left before the end. */
  readonly cancelled: boolean;
  readonly latencyMs: number | null;
  readonly generationMs: number | null;
  /** From the request's start until its money was held. */
  readonly admittedMs?: number;
  /** Settings that were asked for, and whether the serving endpoint declares them; absent where none were. */
  readonly honoured?: Readonly<Record<string, boolean>>;
  /** Completion tokens that are pictures, and that are speech; absent where none was reported. */
  readonly imageTokens?: number;
  readonly audioTokens?: number;
  readonly attempts: readonly AttemptRecord[];
}

export interface Settled {
  readonly generation: string;
  /** What was charged; a repeat answers what was recorded. */
  readonly cost: string;
  /** The hold had been released before: recorded exactly all the same, with an alarm. */
  readonly late: boolean;
  /** Present when the charge exceeded the hold, by this much: recorded exactly, with an alarm. */
  readonly overshoot?: string;
}

/** Ends a hold without a charge. Asked of the account: event `hold.release`. */
export interface Release {
  readonly generation: string;
  readonly attempt: number;
  /** Short and public: shown at `GET /generation`. */
  readonly reason: string;
  /** Status the caller was answered; null when unknown. */
  readonly status: number | null;
  /** From the request's start until its money was held, and until it was given up. */
  readonly admittedMs?: number;
  readonly totalMs?: number;
  readonly attempts: readonly AttemptRecord[];
}

/** What a release found, or did. */
export interface Released {
  readonly generation: string;
  /** `settled`: it had been charged before, and stays so. */
  readonly status: 'released' | 'settled';
}

/** A hold as it was before it moved to another endpoint or to a later attempt. */
export interface HoldMove {
  readonly attempt: number;
  readonly endpoint: string;
  readonly amount: string;
}

/** The generation row (collection `generation` of the account; id = generation id; sort = createdAt). */
export interface Generation extends Omit<HoldRequest, 'repeat'> {
  readonly status: 'running' | 'settled' | 'released';
  /** Address of the key it runs under. */
  readonly key: string;
  /** What was held before the hold moved, or a later attempt opened it again; absent where neither happened. */
  readonly moves?: readonly HoldMove[];
  /** Store time, ms. */
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly settlement: Settlement | null;
  readonly release: Release | null;
  readonly late: boolean;
  /** Charged above the hold by this much; null when it was not. */
  readonly overshoot: string | null;
}
