import type { AnyEventObject, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { type PlainAction, paramsFor, plainActions } from './plain-action.ts';

type Guard = (args: { readonly context: object; readonly event: AnyEventObject }, params: unknown) => boolean;

/** One transition that an event may take. */
interface Branch {
  /** Null: always taken. */
  readonly guard: Guard | null;
  readonly params: unknown;
  /** Null: it does not stay, or not plainly; XState has to take it. */
  readonly actions: readonly PlainAction[] | null;
}

const NONE: readonly Branch[] = Object.freeze([]);
/** What `choose` answers where no transition is taken: unlike the list of an empty transition, which has no actions either. */
export const UNTAKEN: readonly PlainAction[] = Object.freeze([]);

/**
 * Which transition a chart without regions takes: for each state and event type the candidates in XState's order, those of
 * the state before those of the root, looked up once. XState asks `key in object` and looks for wildcards at each step.
 */
export class Branches {
  readonly #machine: AnyStateMachine;
  readonly #named: ReadonlySet<string>;
  /** As many as there are states, and in each as many as there are event types that the chart names. */
  readonly #byState = new Map<string, Map<string, readonly Branch[] | null>>();
  /** By state, those that need no event. */
  readonly #eventless = new Map<string, readonly Branch[] | null>();

  /** `named`: the event types that the chart has transitions for; it has no wildcards. */
  constructor(machine: AnyStateMachine, named: ReadonlySet<string>) {
    this.#machine = machine;
    this.#named = named;
  }

  /**
   * The actions of the first transition whose guard passes, `UNTAKEN` where no guard does; null where XState has to choose
   * or to take it. Throws what a guard throws.
   */
  choose(state: string, context: object, event: AnyEventObject): readonly PlainAction[] | null {
    return first(this.#byState.get(state)?.get(event.type) ?? this.#lookUp(state, event.type), context, event);
  }

  /** The same among the transitions that need no event, for which the chart looks when it has taken one that does. */
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

/** Null where the guard is one of XState's own, which judges the whole snapshot. */
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
