import type { AnyEventObject, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type PlainAction, paramsFor, plainActions } from './plain-action.ts';

type Guard = (args: { readonly context: object; readonly event: AnyEventObject }, params: unknown) => boolean;

/** One transition that an event may take. */
interface Branch {
  /** Null: always taken. */
  readonly guard: Guard | null;
  readonly params: unknown;
  /** Null: the transition has a target or an action that is not plain; XState has to take it. */
  readonly actions: readonly PlainAction[] | null;
}

const NONE: readonly Branch[] = Object.freeze([]);
/**
 * Result of `choose` when no transition is taken. Distinct from the list of an empty transition, which has no actions
 * either.
 */
export const UNTAKEN: readonly PlainAction[] = Object.freeze([]);

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
    if (!this.#named.has(type)) return NONE;
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
