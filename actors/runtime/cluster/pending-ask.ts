import type { AskFailure } from '../actor/answer.ts';
import { AskError } from '../actor/answer.ts';
import type { ActorEvent, Json } from '../actor/event.ts';

/** One message on its way: an ask with somebody waiting, or a tell. Lives until it is settled, exactly once. */
export class PendingAsk {
  readonly to: string;
  event: ActorEvent;
  readonly shard: number;
  /** Monotonic ms. */
  readonly deadline: number;
  readonly trace: string | undefined;
  /** The epoch under which it was last sent somewhere; it is sent again only for news or a retry. */
  sentEpoch = -1;
  /** True while it waits for an owner. */
  parked = false;
  /** It may have been stepped before: it was lost once, and is under way again. */
  perhaps = false;
  /** The link it was written to, and its id there. */
  window: { take(id: number): unknown } | null = null;
  id = 0;
  /** Its place among the open asks; a tell has none. */
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

  /** Makes it ready to be sent once more although it may have happened; false when its sender did not allow that. */
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
