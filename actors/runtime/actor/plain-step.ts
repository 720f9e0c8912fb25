import type { AnyEventObject } from 'xstate';
import { type Branches, UNTAKEN } from './branches.ts';
import type { Effect } from './effect.ts';
import { appended, assigned, type PlainAction, paramsFor } from './plain-action.ts';
import type { RegisteredKind } from './registered-kind.ts';
import type { Snapshot } from './snapshot.ts';

/** The result of a plain step: the very same snapshot where no action assigned. */
export interface PlainStep {
  readonly snapshot: Snapshot;
  readonly effects: readonly Effect[];
  /** False where the event took no transition. */
  readonly handled: boolean;
}

const NONE: readonly Effect[] = Object.freeze([]);

/**
 * Takes the step of a flat chart that stays in its state: chooses the transition as XState does, guards included, and
 * runs its actions in order, each on the context that the earlier ones assigned. Returns null for all other steps,
 * which XState takes as a whole: a chart with wildcards, a state with substates, a transition with a target, an action
 * that raises, or one of XState's built-in guards.
 */
export function plainStep(kind: RegisteredKind, before: Snapshot, event: AnyEventObject): PlainStep | null {
  const { branches, scope } = kind;
  const { value, context } = before;
  if (branches === null || typeof value !== 'string') return null;
  const actions = chosen(branches, value, context, event);
  if (actions === null) return null;
  const taken = take({ context, effects: null, assigns: 0 }, scope, actions, event);
  if (kind.eventless && !takeEventless(kind, branches, value, taken, event)) return null;
  const snapshot = taken.assigns > 0 ? withContext(before, taken.context) : before;
  return { snapshot, effects: taken.effects ?? NONE, handled: actions !== UNTAKEN };
}

/** The intermediate result of a step. */
interface Taken {
  context: object;
  effects: readonly Effect[] | null;
  assigns: number;
}

function take(
  taken: Taken,
  scope: RegisteredKind['scope'],
  actions: readonly PlainAction[],
  event: AnyEventObject,
): Taken {
  for (let i = 0; i < actions.length; i++) {
    const action = actions[i] as PlainAction;
    const { context } = taken;
    const params = paramsFor(action.params, context, event);
    if (action.assigns) {
      taken.context = assigned(scope, action, context, event, params);
      taken.assigns++;
    } else
      taken.effects = appended(taken.effects, action.call?.({ context, event }, params) as Effect | readonly Effect[]);
  }
  return taken;
}

/**
 * Takes eventless transitions until none is left or one assigned nothing, as XState does. False if one is not plain, or
 * at the bound on rounds: XState also counts the rounds, and its error names the endless loop.
 */
function takeEventless(
  kind: RegisteredKind,
  branches: Branches,
  state: string,
  taken: Taken,
  event: AnyEventObject,
): boolean {
  const { maxIterations } = kind.machine.options as { readonly maxIterations: number };
  for (let round = 1; round < maxIterations; round++) {
    const actions = branches.chooseEventless(state, taken.context, event);
    if (actions === null) return false;
    const { assigns } = taken;
    take(taken, kind.scope, actions, event);
    if (taken.assigns === assigns) return true;
  }
  return false;
}

/** The actions of the chosen transition, `UNTAKEN` if there is none; null if it is not plain or a guard threw. */
function chosen(
  branches: Branches,
  state: string,
  context: object,
  event: AnyEventObject,
): readonly PlainAction[] | null {
  try {
    return branches.choose(state, context, event);
  } catch {
    // XState calls the guard again, and its error names the state and the event.
    return null;
  }
}

/** A snapshot of XState with the members that its declared type omits. */
type Whole = Snapshot & Record<'_nodes' | 'matches' | 'hasTag' | 'can' | 'getMeta' | 'toJSON', unknown>;

/**
 * The same state with another context. Copied member by member in XState's own order, so that all snapshots have one
 * shape: a spread goes through V8's slow path (Node 20: 1.3 us against 0.05 us). A test compares the members with
 * XState's.
 */
function withContext(before: Snapshot, context: object): Snapshot {
  const from = before as Whole;
  return {
    status: from.status,
    output: from.output,
    error: from.error,
    machine: from.machine,
    context,
    _nodes: from._nodes,
    value: from.value,
    tags: from.tags,
    children: from.children,
    historyValue: from.historyValue,
    matches: from.matches,
    hasTag: from.hasTag,
    can: from.can,
    getMeta: from.getMeta,
    toJSON: from.toJSON,
  } as unknown as Snapshot;
}
