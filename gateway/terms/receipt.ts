import type { AttemptRecord } from '../../actors/terms/hold.ts';
import type { Candidate } from './plan.ts';
import type { FinishReason } from './turn-event.ts';
import type { MediaUnits, Usage } from './usage.ts';

/** How a turn ended, as the input of its settlement. `delivered` decides between settle and release. */
export interface Receipt {
  readonly candidate: Candidate;
  /** Attempt number of the hold to end. */
  readonly attempt: number;
  /** Store time, ms, of the turn's admission: its prices are those of this instant. */
  readonly admittedAt: number;
  /** True when something was handed on to the client. */
  readonly delivered: boolean;
  /** True when the provider broke off the answer: the client received an error after the delivered part. */
  readonly broken: boolean;
  /** Usage as the provider reported it and the client receives it; absent counts stay absent. */
  readonly usage: Usage;
  /** The charged counts: the reported ones, and our own for missing ones, with `estimated`. */
  readonly billed: Usage;
  readonly estimated: boolean;
  /** The prompt tokens that the provider reported, where they were implausible and our own count is charged instead. */
  readonly promptTokensRefused?: number;
  /** Our own count of the prompt, where the provider reported so few tokens that it cannot have read all of it. */
  readonly promptTokensCut?: number;
  /**
   * Media measured from the bytes of the reply, within the admitted bounds, and what the prompt consumes beside tokens.
   */
  readonly media: MediaUnits;
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  readonly upstreamId: string | null;
  readonly cancelled: boolean;
  /** The requested settings, and whether the serving endpoint declares them; `messages` is false for a cut prompt. */
  readonly honoured: Readonly<Record<string, boolean>>;
  /** Milliseconds from the request's start until money was held, to the first delivered part, and to the end. */
  readonly admittedMs: number | null;
  readonly latencyMs: number | null;
  readonly generationMs: number;
  readonly attempts: readonly AttemptRecord[];
}
