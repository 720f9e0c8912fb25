import type { ActorEvent, Json } from './event.ts';

/**
 * What a step may ask for: a closed union, returned as data. The runtime executes it after (and only if) the step's
 * entry is durable.
 */
export type Effect =
  /** Answers the ask that this step, or the cascade it is part of, serves. At most one reply per ask. */
  | { readonly type: 'reply'; readonly body: Json }
  /**
   * Declines the event. The step changes nothing and asks for nothing else, and nothing of its cascade is committed. Asked
   * directly, the asker gets `body` as its answer. Reached by a message of another step of the same shard, that step's
   * cascade fails: an asker gets the failure `rejected`, an input that cannot be refused (timer, result, message of another
   * shard) is stepped once more as `<type>.refused` with the member `refusal`. An input that its own actor refuses is a
   * dead letter at once.
   */
  | { readonly type: 'refuse'; readonly body: Json }
  /**
   * A message to another actor. Of the same shard: stepped in the same entry, all or nothing; it must be handled there.
   * Of another shard: it leaves after the commit, arrives once, and in order with what this actor sent there before.
   */
  | { readonly type: 'send'; readonly to: string; readonly event: ActorEvent }
  /** A durable timer of this actor; the same name replaces. `at` is store time in ms. */
  | { readonly type: 'schedule'; readonly name: string; readonly at: number; readonly event: ActorEvent }
  | { readonly type: 'cancel'; readonly name: string }
  /**
   * Work in the world, begun after the commit by the performer of this name; `id` is unique among the actor's open ones.
   * The actor hears once how it ended: `<name>.done {id, attempt, result}` or `<name>.failed {id, attempt, failure:
   * {code, message}}`, the code being the performer's own, or `deadline`, `convicted`,
   * `no-performer`, `bad-result`.
   */
  | {
      readonly type: 'perform';
      readonly name: string;
      readonly id: string;
      readonly input: Json;
      /** Store time in ms by which all of it must have ended. */
      readonly deadlineAt: number;
      /** How often it may fail in a way worth repeating; default 3. Deaths of its runner do not count here. */
      readonly failuresMax?: number;
    }
  /** Ends what `perform` began under this id: its call is aborted, its result refused, the actor hears nothing more. */
  | { readonly type: 'cancel'; readonly perform: string }
  /** Writes a row of this actor. The collection's declaration derives sort, index, open and expiry from the body. */
  | { readonly type: 'put'; readonly collection: string; readonly id: string; readonly body: Json }
  | { readonly type: 'remove'; readonly collection: string; readonly id: string }
  /** Updates the read model that every node keeps. `value: null` removes the key. */
  | { readonly type: 'publish'; readonly topic: string; readonly key: string; readonly value: Json }
  /** The actor ends: its row and timers go, its collections stay. */
  | { readonly type: 'stop' };

/** What a named action of a chart receives. */
export interface EmitArgs<C, E> {
  readonly context: C;
  readonly event: E;
}

const EMITS = Symbol('troupe.emits');

/**
 * Makes a named chart action that asks for effects:
 * `actions: { answer: emit(({ context }) => ({ type: 'reply', body: { balance: context.balance } })) }`.
 * Actions made any other way (but assign and immediate raise) are refused at registration.
 */
export function emit<C, E>(
  effects: (args: EmitArgs<C, E>) => Effect | readonly Effect[],
): (args: EmitArgs<C, E>) => void {
  const action = (args: EmitArgs<C, E>): unknown => effects(args);
  Object.defineProperty(action, EMITS, { value: true });
  return action;
}

/** True for actions made by `emit`. */
export function emits(action: unknown): boolean {
  return typeof action === 'function' && EMITS in action;
}
