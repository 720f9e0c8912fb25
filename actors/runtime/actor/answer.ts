import type { Json } from './event.ts';
import type { MessageRefusal } from './message-refusal.ts';

/** Why an ask has no answer from the actor. `expired` and `unavailable` leave open whether the step happened. */
export type AskFailure =
  /** No such actor, and the event does not create one. Nothing happened. */
  | { readonly code: 'absent' }
  /**
   * The actor is in a final state; or its state has no transition for the event, or no step replied. In the last case the
   * state may have changed.
   */
  | { readonly code: 'finished' }
  | { readonly code: 'unhandled' }
  /** The start lane is full. Nothing happened; try again after this many ms. */
  | { readonly code: 'busy'; readonly retryAfterMs: number }
  /** The step threw. Nothing happened. `kindUnknown`: this build has no such kind of actor, another may. */
  | { readonly code: 'failed'; readonly detail: string; readonly kindUnknown?: true }
  /**
   * Another actor did not take a message that the step, or one it caused, sent within the shard. Nothing happened, and a
   * repeat comes to the same as long as that actor stays as it is.
   */
  | { readonly code: 'rejected'; readonly detail: string; readonly refusal: MessageRefusal }
  /**
   * The actor, or one that the step needs, does not load and waits for an operator. Nothing happened. With `kept` the
   * event lies beside the actor, durable, and is stepped once when that loads, whoever owns it then: nothing is gained
   * by asking again, and nothing but another kept event lost.
   */
  | { readonly code: 'quarantined'; readonly detail: string; readonly kept?: true }
  /** The shard moved before the event was stepped, and its new owner was not reached in time. Nothing happened. */
  | { readonly code: 'moved'; readonly owner: string | null; readonly epoch: number }
  /** The store takes no writes now. Nothing happened. */
  | { readonly code: 'refused'; readonly detail: string }
  /** No answer within the deadline, or the owner was lost after it took the event: may have happened. */
  | { readonly code: 'expired' }
  | { readonly code: 'lost' };

export type Answer = { readonly ok: true; readonly body: Json } | { readonly ok: false; readonly failure: AskFailure };

/** What `ask` throws; carries the address. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly address: string;
  readonly failure: AskFailure;
  constructor(address: string, failure: AskFailure) {
    super(`${address}: ${failure.code}${'detail' in failure ? `: ${failure.detail}` : ''}`);
    this.address = address;
    this.failure = failure;
  }
  /** True when the step may have happened although nobody said so. */
  get mayHaveHappened(): boolean {
    return this.failure.code === 'expired' || this.failure.code === 'lost';
  }
}
