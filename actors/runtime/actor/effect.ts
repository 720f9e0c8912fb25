import type { ActorEvent, Json } from './event.ts';

/** The members of a `<name>.failed` event that a chart passes back to request the next attempt. */
export type Repeats = {
  readonly key: string;
  readonly attempt: number;
  readonly failure: { readonly code: string; readonly message: string };
};

/**
 * The effects that a step may return: a closed union, as data. The runtime executes an effect after, and only if, the
 * step's entry is durable.
 */
export type Effect =
  /** Answers the ask that caused this step, or the cascade it belongs to. At most one reply per ask. */
  | { readonly type: 'reply'; readonly body: Json }
  /**
   * Refuses the event. The step changes no state and returns no other effect, and nothing of its cascade is committed.
   * If the actor was asked directly, the asker receives `body` as its answer. If another step of the same shard sent
   * the event, that step's cascade fails: an asker receives the failure `rejected`; an input that cannot be refused
   * (timer, result, message of another shard) is stepped once more as `<type>.refused` with the member `refusal`. An
   * input that its own actor refuses becomes a dead letter immediately.
   */
  | { readonly type: 'refuse'; readonly body: Json }
  /**
   * Sends a message to another actor. In the same shard: it is stepped in the same entry, atomically, and must be
   * handled. In another shard: it leaves after the commit and arrives once, in order with earlier messages of this
   * actor to that one.
   */
  | { readonly type: 'send'; readonly to: string; readonly event: ActorEvent }
  /** Sets a durable timer of this actor, replacing one of the same name. `at` is store time in ms. */
  | { readonly type: 'schedule'; readonly name: string; readonly at: number; readonly event: ActorEvent }
  | { readonly type: 'cancel'; readonly name: string }
  /**
   * Starts an activity after the commit, with the handler of this name; `id` is unique among the actor's open
   * activities. The actor receives one end: `<name>.done {id, attempt, result}` or `<name>.failed {id, attempt, key,
   * failure: {code, message, retriable}}`. The code is the handler's own (`error` for an error without one), or one of:
   * `deadline`; `not-begun`, the deadline passed before the handler was called for this attempt; `poison`, three
   * nodes crashed while running it; `no-handler`; `bad-result`. Only the chart repeats a failure, with `repeats`. When
   * a runner dies, the runtime starts the next attempt, and the actor receives `<name>.attempt {id, attempt}` in the
   * same commit.
   */
  | {
      readonly type: 'perform';
      /** One of the kind's `activities`. */
      readonly name: string;
      readonly id: string;
      readonly input: Json;
      /** Store time in ms by which the activity, with all its attempts, must have ended. */
      readonly deadlineAt: number;
      /**
       * The `<name>.failed` event to repeat: the attempt number continues and the key stays the same. Absent: a new
       * activity.
       */
      readonly repeats?: Repeats;
    }
  /**
   * Cancels the activity of this id: its call is aborted, its result is refused, and the actor receives no further
   * event of it.
   */
  | { readonly type: 'cancel'; readonly perform: string }
  /** Writes a row of this actor. The collection's declaration derives sort, index, open and expiry from the body. */
  | { readonly type: 'put'; readonly collection: string; readonly id: string; readonly body: Json }
  | { readonly type: 'remove'; readonly collection: string; readonly id: string }
  /** Updates the board, the read model on every node. `value: null` removes the key. */
  | { readonly type: 'publish'; readonly topic: string; readonly key: string; readonly value: Json }
  /** Ends the actor: its row and timers are removed, its collections stay. */
  | { readonly type: 'stop' };

/** The arguments of a named action of a chart. */
export interface EmitArgs<C, E> {
  readonly context: C;
  readonly event: E;
}

/** Registered globally: kinds may be loaded beside another copy of this module, as sources beside the build. */
const EMITS = Symbol.for('troupe.emits');

/**
 * Makes a named chart action that returns effects: `actions: { answer: emit(({ context }) => ({ type: 'reply', body: {
 * balance: context.balance } })) }`. Registration refuses all other actions but assign and immediate raise.
 */
export function emit<C, E, P = unknown>(
  effects: (args: EmitArgs<C, E>, params: P) => Effect | readonly Effect[],
): (args: EmitArgs<C, E>, params: P) => void {
  const action = (args: EmitArgs<C, E>, params: P): unknown => effects(args, params);
  Object.defineProperty(action, EMITS, { value: true });
  return action;
}

/** True for actions made by `emit`. */
export function emits(action: unknown): boolean {
  return typeof action === 'function' && EMITS in action;
}
