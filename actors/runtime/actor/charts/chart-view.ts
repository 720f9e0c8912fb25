/** A kind's chart as plain data, for whoever draws it: states, transitions, and the names of guards and actions. */
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { RegisteredKind } from './register.ts';

export interface ChartView {
  readonly kind: string;
  /** Chart version. */
  readonly version: number;
  /** Event types that create an absent actor. */
  readonly creates: readonly string[];
  readonly root: StateView;
}

export interface StateView {
  /** The last part of its path; of the root the kind. */
  readonly name: string;
  /** Below the root, joined by dots; empty for the root. */
  readonly path: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** Name of the inner state in which a compound state begins; null for others. */
  readonly initial: string | null;
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly transitions: readonly TransitionView[];
  readonly states: readonly StateView[];
}

export interface TransitionView {
  /** Empty for one that is taken without an event (`always`). */
  readonly event: string;
  /** Path of the state that it leads to; null for one that stays. Several targets are several entries. */
  readonly target: string | null;
  /** Such as `opens(granted)` or `not(isPaused)`; null without one. */
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** Leaves its state and enters it again. */
  readonly reenter: boolean;
}

export function chartViewOf({ name, version, creates, machine }: RegisteredKind): ChartView {
  return { kind: name, version, creates: [...creates], root: { ...stateView(machine.root), name } };
}

function stateView(node: AnyStateNode): StateView {
  const named = [...node.transitions.values()].flat();
  return {
    name: node.key,
    path: node.path.join('.'),
    type: node.type,
    initial: node.type === 'compound' ? (node.initial?.target[0]?.key ?? null) : null,
    entry: node.entry.map(partText),
    exit: node.exit.map(partText),
    transitions: [...named, ...(node.always ?? [])].flatMap(transitionViews),
    states: (Object.values(node.states) as AnyStateNode[]).map(stateView),
  };
}

function transitionViews(transition: AnyTransitionDefinition): readonly TransitionView[] {
  const { eventType: event, target, guard, actions, reenter } = transition;
  const same = {
    event,
    guard: guard === undefined ? null : guardText(guard),
    actions: actions.map(partText),
    reenter,
  };
  return (target ?? [null]).map((to) => ({ ...same, target: to === null ? null : to.path.join('.') }));
}

/** A combined guard of XState: `and`, `or`, `not` have inner guards, `stateIn` has a value. */
interface Combined {
  readonly check?: unknown;
  readonly guards?: readonly unknown[];
  readonly stateValue?: unknown;
}

function guardText(guard: unknown): string {
  if (typeof guard !== 'function') return partText(guard);
  const { guards, stateValue } = guard as Combined;
  if (stateValue !== undefined) return `in(${JSON.stringify(stateValue)})`;
  return `${guard.name.replace(/Guard$/, '') || 'guard'}(${(guards ?? []).map(guardText).join(', ')})`;
}

/** The name of a guard or an action, with the values of its parameters. */
function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const { type, params } = part as { readonly type: string; readonly params?: unknown };
  if (typeof params !== 'object' || params === null) return type;
  return `${type}(${Object.values(params).flat().map(String).join(', ')})`;
}
