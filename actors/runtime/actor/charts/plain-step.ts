import type {
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
} from 'xstate';
import { type Effect, emits } from '../effect.ts';
import type { StepScope } from './step-scope.ts';

/** The parts of a registered chart that a plain step uses. */
export interface PlainChart {
  readonly machine: AnyStateMachine;
  readonly scope: StepScope;
  /** True if the chart has eventless transitions. */
  readonly eventless: boolean;
  /** The transitions of states without substates; null if the chart has wildcards. */
  readonly branches: Branches | null;
}

/** The result of a plain step: the very same snapshot where no action assigned. */
interface PlainStep {
  readonly snapshot: AnyMachineSnapshot;
  readonly effects: readonly Effect[];
  /** False where the event took no transition. */
  readonly handled: boolean;
}

const NO_EFFECTS: readonly Effect[] = Object.freeze([]);

/**
 * Takes the step of a flat chart that stays in its state: chooses the transition as XState does, guards included, and
 * runs its actions in order, each on the context that the earlier ones assigned. Returns null for all other steps,
 * which XState takes as a whole: a chart with wildcards, a state with substates, a transition with a target, an action
 * that raises, or one of XState's built-in guards.
 */
export function plainStep(chart: PlainChart, before: AnyMachineSnapshot, event: AnyEventObject): PlainStep | null {
  const { branches, scope } = chart;
  const { value, context } = before;
  if (branches === null || typeof value !== 'string') return null;
  const actions = chosen(branches, value, context, event);
  if (actions === null) return null;
  const taken = take({ context, effects: null, assigns: 0 }, scope, actions, event);
  if (chart.eventless && !takeEventless(chart, branches, value, taken, event)) return null;
  const snapshot = taken.assigns > 0 ? withContext(before, taken.context) : before;
  return { snapshot, effects: taken.effects ?? NO_EFFECTS, handled: actions !== UNTAKEN };
}

/** The intermediate result of a step. */
interface Taken {
  context: object;
  effects: readonly Effect[] | null;
  assigns: number;
}

function take(taken: Taken, scope: StepScope, actions: readonly PlainAction[], event: AnyEventObject): Taken {
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
  { machine, scope }: PlainChart,
  branches: Branches,
  state: string,
  taken: Taken,
  event: AnyEventObject,
): boolean {
  const { maxIterations } = machine.options as { readonly maxIterations: number };
  for (let round = 1; round < maxIterations; round++) {
    const actions = branches.chooseEventless(state, taken.context, event);
    if (actions === null) return false;
    const { assigns } = taken;
    take(taken, scope, actions, event);
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
type Whole = AnyMachineSnapshot & Record<'_nodes' | 'matches' | 'hasTag' | 'can' | 'getMeta' | 'toJSON', unknown>;

/**
 * The same state with another context. Copied member by member in XState's own order, so that all snapshots have one
 * shape: a spread goes through V8's slow path (Node 20: 1.3 us against 0.05 us). A test compares the members with
 * XState's.
 */
function withContext(before: AnyMachineSnapshot, context: object): AnyMachineSnapshot {
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
  } as unknown as AnyMachineSnapshot;
}

/** One action of a transition with its parameters, resolved once. */
interface PlainAction {
  readonly assigns: boolean;
  /** The `emit` action, or the updater of an assign; null where the assign is a record of updaters. */
  readonly call: ((args: object, params: unknown) => unknown) | null;
  readonly members: readonly (readonly [name: string, updater: unknown])[] | null;
  readonly params: unknown;
  /** The members of the context at its first update, in order; null before. */
  names: readonly string[] | null;
}

/** The actions of a transition; null if it has a target, or an action that is neither assign nor `emit`. */
function plainActions(machine: AnyStateMachine, transition: AnyTransitionDefinition): readonly PlainAction[] | null {
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
function paramsFor(params: unknown, context: object, event: AnyEventObject): unknown {
  return typeof params === 'function' ? params({ context, event }) : params;
}

/** Appends the effects of an `emit` action to the earlier ones. */
function appended(effects: readonly Effect[] | null, made: Effect | readonly Effect[]): readonly Effect[] {
  if (Array.isArray(made)) return effects === null ? made : effects.concat(made);
  return effects === null ? [made as Effect] : effects.concat([made as Effect]);
}

/** The context after an assign. */
function assigned(
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

type Guard = (args: { readonly context: object; readonly event: AnyEventObject }, params: unknown) => boolean;

/** One transition that an event may take. */
interface Branch {
  /** Null: always taken. */
  readonly guard: Guard | null;
  readonly params: unknown;
  /** Null: the transition has a target or an action that is not plain; XState has to take it. */
  readonly actions: readonly PlainAction[] | null;
}

const NO_BRANCHES: readonly Branch[] = Object.freeze([]);
/**
 * Result of `choose` when no transition is taken. Distinct from the list of an empty transition, which has no actions
 * either.
 */
const UNTAKEN: readonly PlainAction[] = Object.freeze([]);

/**
 * Chooses the transition of a chart without regions: for each state and event type the candidates in XState's order
 * (those of the state before those of the root), looked up once. XState does `key in object` and looks for wildcards at
 * each step.
 */
export class Branches {
  readonly #machine: AnyStateMachine;
  readonly #named: ReadonlySet<string>;
  /** Bounded by the number of states, and per state by the number of event types the chart names. */
  readonly #byState = new Map<string, Map<string, readonly Branch[] | null>>();
  /** Eventless transitions by state. */
  readonly #eventless = new Map<string, readonly Branch[] | null>();

  /** `named`: the event types that have transitions in the chart; the chart has no wildcards. */
  constructor(machine: AnyStateMachine, named: ReadonlySet<string>) {
    this.#machine = machine;
    this.#named = named;
  }

  /**
   * Returns the actions of the first transition whose guard passes, `UNTAKEN` if none passes, and null if XState has to
   * choose or take it. Throws what a guard throws.
   */
  choose(state: string, context: object, event: AnyEventObject): readonly PlainAction[] | null {
    return first(this.#byState.get(state)?.get(event.type) ?? this.#lookUp(state, event.type), context, event);
  }

  /** The same for eventless transitions, which a chart checks after each transition it takes. */
  chooseEventless(state: string, context: object, event: AnyEventObject): readonly PlainAction[] | null {
    let branches = this.#eventless.get(state);
    if (branches === undefined) {
      branches = branchesOf(this.#machine, state, (node) => node.always);
      this.#eventless.set(state, branches);
    }
    return first(branches, context, event);
  }

  #lookUp(state: string, type: string): readonly Branch[] | null {
    if (!this.#named.has(type)) return NO_BRANCHES;
    let byType = this.#byState.get(state);
    if (byType === undefined) {
      byType = new Map();
      this.#byState.set(state, byType);
    }
    let branches = byType.get(type);
    if (branches === undefined) {
      branches = branchesOf(this.#machine, state, (node) => node.transitions.get(type));
      byType.set(type, branches);
    }
    return branches;
  }
}

function first(
  branches: readonly Branch[] | null,
  context: object,
  event: AnyEventObject,
): readonly PlainAction[] | null {
  if (branches === null) return null;
  const args = { context, event };
  for (let i = 0; i < branches.length; i++) {
    const { guard, params, actions } = branches[i] as Branch;
    if (guard === null || guard(args, paramsFor(params, context, event))) return actions;
  }
  return UNTAKEN;
}

function branchesOf(
  machine: AnyStateMachine,
  state: string,
  transitionsOf: (node: AnyStateNode) => readonly AnyTransitionDefinition[] | undefined,
): readonly Branch[] | null {
  const branches: Branch[] = [];
  for (const node of [machine.root.states[state], machine.root] as AnyStateNode[]) {
    for (const transition of transitionsOf(node) ?? []) {
      const branch = branchOf(machine, transition);
      if (branch === null) return null;
      branches.push(branch);
    }
  }
  return branches;
}

/** Null for a guard built into XState, which judges the whole snapshot. */
function branchOf(machine: AnyStateMachine, transition: AnyTransitionDefinition): Branch | null {
  const { guard } = transition;
  const actions = plainActions(machine, transition);
  if (guard === undefined) return { guard: null, params: undefined, actions };
  if (typeof guard === 'function') return null;
  const { type: name, params } = typeof guard === 'string' ? { type: guard, params: undefined } : guard;
  const found: unknown = machine.implementations.guards[name];
  if (typeof found !== 'function' || 'check' in found) return null;
  return { guard: found as Guard, params, actions };
}
