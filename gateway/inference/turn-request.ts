import type { Idempotency } from '../../actors/terms/hold.ts';
import type { ReplyDialect } from '../dialects/reply/reply-dialect.ts';
import type { Attribution, Caller } from '../terms/caller.ts';
import type { Plan } from '../terms/plan.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { Turn } from '../terms/turn.ts';
import type { StoredFiles } from './attach-files.ts';

/** Where a test can kill the process while it runs a turn. */
export type TurnCrashPoint = 'hold.committed' | 'upstream.sent' | 'upstream.firstbyte' | 'settle.committed';

/** An accepted request for inference: a live request or a line of a batch. */
export interface TurnRequest {
  /** Generation id, fixed when the request was accepted. */
  readonly generation: string;
  /**
   * Attempt of the activity that runs this turn, from 1, where one generation id serves all its attempts: a higher one
   * takes over the hold of a lower one. Absent for a live request, whose id is new and whose run is never repeated.
   */
  readonly runAttempt?: number | undefined;
  readonly turn: Turn;
  /** Writes the answer. */
  readonly reply: ReplyDialect;
  /** Size of the request body: estimates the work of writing it again. */
  readonly bytes: number;
  readonly plan: Plan;
  readonly caller: Caller;
  readonly attribution: Attribution;
  /** Absent for a request without an idempotency key, and for a line of a batch. */
  readonly idempotency?: Idempotency | undefined;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** Signals that the client has left, until the first delivery; from then on `RunningTurn.leave` does. */
  readonly signal?: AbortNotice | undefined;
  /** The request was counted by the key's rate before its hold. */
  readonly isCounted?: boolean | undefined;
  /**
   * The workspace in which a job was accepted, null for the default one: the key is refused once it left it. Absent for
   * a live request.
   */
  readonly acceptedIn?: string | null | undefined;
  /** Called once the money is held: from then on the turn waits for its provider. Also for each further candidate. */
  readonly onHeld?: (() => void) | undefined;
  /** The stored files that the turn names; absent without any. */
  readonly files?: StoredFiles | undefined;
  /** The span of the request, whose asks and calls of providers are parts of it; absent where it is not traced. */
  readonly span?: TraceSpan | undefined;
  /** Absent where no crash point is armed. */
  readonly crashPoint?: ((name: TurnCrashPoint) => void) | undefined;
}

/** The part of `AbortSignal` that a turn uses to detect that its client has left. */
export interface AbortNotice {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Signals that the client has left; holds at most one listener. Replaces `AbortController`, since every request needs
 * one: the controller and its events cost 20 us of CPU per request, this class under 1 us.
 */
export class CallerAbort implements AbortNotice {
  aborted = false;
  #listener: (() => void) | null = null;

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = null;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#listener?.();
  }
}
