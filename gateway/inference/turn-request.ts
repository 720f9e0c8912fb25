import type { Attribution, Caller } from '../terms/caller.ts';
import type { Plan } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { Leaving } from './departure.ts';

/** One request for inference, whoever asks: the edge, or later a batch. */
export interface TurnRequest {
  /** Generation id, fixed when the request was accepted. */
  readonly generation: string;
  /**
   * Attempt of the activity that runs this turn, from 1, where one generation id serves all its attempts: a higher one
   * takes over the hold of a lower one. Absent for a live request, whose id is new and whose run is never repeated.
   */
  readonly runAttempt?: number;
  readonly turn: Turn;
  /** Of the body it came in: how much work it is to write it anew. */
  readonly bytes: number;
  readonly plan: Plan;
  readonly caller: Caller;
  readonly attribution: Attribution;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** The caller has left; looked at until the first part is there, from then on `RunningTurn.leave` says so. */
  readonly signal?: Leaving | undefined;
}
