import type { AskFailure } from '../actor/answer.ts';
import { AskError } from '../actor/answer.ts';
import type { ActorEvent, Json } from '../actor/event.ts';

/** One message in transit: an ask whose caller waits, or a tell. It is settled exactly once. */
export class PendingAsk {
  readonly to: string;
  event: ActorEvent;
  readonly shard: number;
  /** Monotonic ms. */
  readonly deadline: number;
  readonly trace: string | undefined;
  /** The epoch under which it was last sent. It is sent again only under a higher epoch or as a permitted repeat. */
  sentEpoch = -1;
  /** True while it waits for its shard to have an owner. */
  parked = false;
  /** It may have been stepped already: it was lost once and has been sent again. */
  perhaps = false;
  /** The window of the link it was written to, and its id there. */
  window: { take(id: number): unknown } | null = null;
  id = 0;
  /** Its place among the open asks; -1 for a tell. */
  place = -1;
  readonly #resolve: ((body: Json) => void) | null;
  readonly #reject: ((error: AskError) => void) | null;
  readonly #repeat: ((event: ActorEvent) => ActorEvent) | undefined;
  #open = true;

  constructor(
    message: {
      readonly to: string;
      readonly event: ActorEvent;
      readonly shard: number;
      readonly deadline: number;
      readonly trace: string | undefined;
      readonly repeat?: ((event: ActorEvent) => ActorEvent) | undefined;
    },
    resolve: ((body: Json) => void) | null,
    reject: ((error: AskError) => void) | null,
  ) {
    this.to = message.to;
    this.event = message.event;
    this.shard = message.shard;
    this.deadline = message.deadline;
    this.trace = message.trace;
    this.#repeat = message.repeat;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get open(): boolean {
    return this.#open;
  }

  get isTell(): boolean {
    return this.#resolve === null;
  }

  /** Prepares a repeat of an ask that may have been stepped. False if its sender did not allow repeats. */
  again(): boolean {
    if (this.#repeat === undefined) return false;
    this.event = this.#repeat(this.event);
    this.perhaps = true;
    this.window = null;
    return true;
  }

  resolve(body: Json): void {
    this.#open = false;
    this.#resolve?.(body);
  }

  fail(failure: AskFailure): void {
    this.#open = false;
    this.#reject?.(new AskError(this.to, failure));
  }
}
