import type { ActorEvent, Json } from './event.ts';

/** Why an ask has no answer from the actor. After `expired` and `lost` the step may have happened. */
export type AskFailure =
  /** There is no such actor, and the event does not create one. Nothing happened. */
  | { readonly code: 'absent' }
  /**
   * `finished`: the actor is in a final state. `unhandled`: its state has no transition for the event, or no step
   * replied; in the last case the state may have changed.
   */
  | { readonly code: 'finished' }
  | { readonly code: 'unhandled' }
  /** The start lane is full. Nothing happened; retry after this many ms. */
  | { readonly code: 'busy'; readonly retryAfterMs: number }
  /**
   * The step threw. Nothing happened. `kindUnknown`: this build has no such kind of actor; another build may have it.
   */
  | { readonly code: 'failed'; readonly detail: string; readonly kindUnknown?: true }
  /**
   * Another actor refused or did not handle a message that the step, or one it caused, sent within the shard. Nothing
   * happened, and a repeat fails the same way until that actor's state changes.
   */
  | { readonly code: 'rejected'; readonly detail: string; readonly refusal: MessageRefusal }
  /**
   * The actor, or one that the step needs, is quarantined and waits for an operator. Nothing happened. With
   * `deferred` the event is stored beside the actor and is stepped once when the actor loads again, on whichever node
   * owns it then: the caller must not ask again.
   */
  | { readonly code: 'quarantined'; readonly detail: string; readonly deferred?: true }
  /** The shard moved before the event was stepped, and its new owner was not reached in time. Nothing happened. */
  | { readonly code: 'moved'; readonly owner: string | null; readonly epoch: number }
  /** The store accepts no writes now. Nothing happened. */
  | { readonly code: 'refused'; readonly detail: string }
  /**
   * `expired`: no answer within the deadline. `lost`: the owner was lost after it accepted the event. The step may have
   * happened.
   */
  | { readonly code: 'expired' }
  | { readonly code: 'lost' };

export type Answer = { readonly ok: true; readonly body: Json } | { readonly ok: false; readonly failure: AskFailure };

/** The error that `ask` throws; it carries the address. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly address: string;
  readonly failure: AskFailure;
  constructor(address: string, failure: AskFailure) {
    super(`${address}: ${failure.code}${'detail' in failure ? `: ${failure.detail}` : ''}`);
    this.address = address;
    this.failure = failure;
  }
  /** True when the step may have happened without an answer. */
  get mayHaveHappened(): boolean {
    return this.failure.code === 'expired' || this.failure.code === 'lost';
  }
}

/** Characters of a refusal's body that a failure text quotes. */
const BODY_CHARS_MAX = 500;

/** Why an actor refused or did not handle a message that another step of the same cascade sent. */
export type MessageRefusal = {
  /** Address of the actor that refused it. */
  readonly by: string;
  /** Type of the message. */
  readonly event: string;
  /** The body of the actor's `refuse`, or `{unhandled: state}` where its state has no transition for the message. */
  readonly body: Json;
};

/**
 * The event by which a chart learns that a message it sent while handling an input was refused: the input, with
 * `.refused` appended to its type and the refusal as the member `refusal`.
 */
export function refusedEvent(input: ActorEvent, refusal: MessageRefusal): ActorEvent {
  return { ...input, type: `${input.type}.refused`, refusal };
}

/** The refusal as text, for a log line, a dead letter or a failed ask. */
export function textOfRefusal({ by, event, body }: MessageRefusal): string {
  return `${by} refused ${event}: ${JSON.stringify(body).slice(0, BODY_CHARS_MAX)}`;
}
