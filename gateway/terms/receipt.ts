import type { AttemptRecord } from '../../actors/terms/hold.ts';
import type { Candidate } from './plan.ts';
import type { FinishReason } from './turn-event.ts';
import type { MediaUnits, Usage } from './usage.ts';

/** How a turn ended, for whoever settles it. `delivered` decides between settle and release. */
export interface Receipt {
  readonly candidate: Candidate;
  /** Attempt number of the hold that this ends. */
  readonly attempt: number;
  /** Store time, ms, at which the turn was admitted: its prices are those of this instant. */
  readonly admittedAt: number;
  /** True when something was handed on to the caller. */
  readonly delivered: boolean;
  /** True when the provider broke the answer off: its caller received an error behind what was delivered. */
  readonly broken: boolean;
  /** What the provider reported, as the caller is told; absent counts stay absent. */
  readonly usage: Usage;
  /** What is charged: the reported counts, and our own count of the missing ones with `estimated`. */
  readonly billed: Usage;
  readonly estimated: boolean;
  /** What was measured on the bytes of the reply, at most what was admitted, and the pictures of the prompt. */
  readonly media: MediaUnits;
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  readonly upstreamId: string | null;
  readonly cancelled: boolean;
  /** Settings that were asked for, and whether the serving endpoint declares them. */
  readonly honoured: Readonly<Record<string, boolean>>;
  /** Milliseconds from the request's start until money was held, to the first delivered part, and to the end. */
  readonly admittedMs: number | null;
  readonly latencyMs: number | null;
  readonly generationMs: number;
  readonly attempts: readonly AttemptRecord[];
}
