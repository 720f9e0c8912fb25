import type { ReplyDialect } from '../dialects/reply/reply-dialect.ts';
import type { Attribution, Caller } from '../terms/caller.ts';
import type { Plan } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { AbortNotice } from './caller-abort.ts';

/** One request for inference that may run, whoever asks: a live request, or a line of a batch. */
export interface TurnRequest {
  /** Generation id, fixed when the request was accepted. */
  readonly generation: string;
  /**
   * Attempt of the activity that runs this turn, from 1, where one generation id serves all its attempts: a higher one
   * takes over the hold of a lower one. Absent for a live request, whose id is new and whose run is never repeated.
   */
  readonly runAttempt?: number | undefined;
  readonly turn: Turn;
  /** How its answer is written. */
  readonly reply: ReplyDialect;
  /** Of the body it came in: how much work it is to write it anew. */
  readonly bytes: number;
  readonly plan: Plan;
  readonly caller: Caller;
  readonly attribution: Attribution;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** The caller has left; looked at until the first part is there, from then on `RunningTurn.leave` says so. */
  readonly signal?: AbortNotice | undefined;
}
