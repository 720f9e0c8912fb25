import type { AnyEventObject, AnyStateMachine, AnyTransitionDefinition } from 'xstate';
import { type Effect, emits } from './effect.ts';
import type { StepScope } from './step-scope.ts';

/** One action of a transition with its parameters, resolved once. */
export interface PlainAction {
  readonly assigns: boolean;
  /** The `emit` action, or the updater of an assign; null where the assign is a record of updaters. */
  readonly call: ((args: object, params: unknown) => unknown) | null;
  readonly members: readonly (readonly [name: string, updater: unknown])[] | null;
  readonly params: unknown;
  /** The members of the context at its first update, in order; null before. */
  names: readonly string[] | null;
}

/** The actions of a transition; null if it has a target, or an action that is neither assign nor `emit`. */
export function plainActions(
  machine: AnyStateMachine,
  transition: AnyTransitionDefinition,
): readonly PlainAction[] | null {
  if (transition.target !== undefined) return null;
  const plain: PlainAction[] = [];
  for (const action of transition.actions as readonly (
    | string
    | { readonly type: string; readonly params?: unknown }
  )[]) {
    const name = typeof action === 'string' ? action : action.type;
    const params = typeof action === 'string' ? undefined : action.params;
    const found: unknown = machine.implementations.actions[name];
    const names = null;
    if (emits(found)) plain.push({ assigns: false, call: found as PlainAction['call'], members: null, params, names });
    else {
      const { type, assignment } = found as { readonly type?: string; readonly assignment?: unknown };
      if (type !== 'xstate.assign') return null;
      if (typeof assignment === 'function')
        plain.push({ assigns: true, call: assignment as PlainAction['call'], members: null, params, names });
      else plain.push({ assigns: true, call: null, members: Object.entries(assignment as object), params, names });
    }
  }
  return plain;
}

/** Parameters of an action or guard, which a chart gives as data or as a function. */
export function paramsFor(params: unknown, context: object, event: AnyEventObject): unknown {
  return typeof params === 'function' ? params({ context, event }) : params;
}

/** Appends the effects of an `emit` action to the earlier ones. */
export function appended(effects: readonly Effect[] | null, made: Effect | readonly Effect[]): readonly Effect[] {
  if (Array.isArray(made)) return effects === null ? made : effects.concat(made);
  return effects === null ? [made as Effect] : effects.concat([made as Effect]);
}

/** The context after an assign. */
export function assigned(
  scope: StepScope,
  action: PlainAction,
  context: object,
  event: AnyEventObject,
  params: unknown,
): object {
  const { call, members } = action;
  const { self, system } = scope.xstate;
  const args = { context, event, self, system, spawn: scope.spawn };
  if (members === null) return merged(action, context, call?.(args, params) as object);
  const update: Record<string, unknown> = { ...context };
  for (let i = 0; i < members.length; i++) {
    const [name, updater] = members[i] as readonly [string, unknown];
    update[name] = typeof updater === 'function' ? updater(args, params) : updater;
  }
  return update;
}

/**
 * `{ ...context, ...update }`. An update that has all members itself, in the same order, already equals that: charts
 * that return their whole next context save two copies through V8's slow path (contexts of many shapes: 2 us each).
 */
function merged(action: PlainAction, context: object, update: object): object {
  action.names ??= Object.keys(context);
  return hasJust(action.names, update) && hasJust(action.names, context) ? update : { ...context, ...update };
}

/**
 * True if these are exactly its members, in this order, and there is at least one. A loop, because a list of the
 * members would be garbage.
 */
function hasJust(names: readonly string[], object: object): boolean {
  let i = 0;
  for (const name in object) if (name !== names[i++]) return false;
  return i > 0 && i === names.length;
}
