import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { accepts } from '../chart.ts';
import { emits } from '../effect.ts';

/** A kind that cannot be registered; the message names the kind and the member at fault. */
export class KindRefused extends Error {
  override readonly name = 'KindRefused';
  readonly kind: string;
  constructor(kind: string, reason: string) {
    super(`kind ${kind}: ${reason}`);
    this.kind = kind;
  }
}

/** Upper bound of `options.maxIterations`: microsteps of one event before XState gives up. */
const ITERATIONS_MAX = 1_000;

/** The marks of XState on functions: built-in actions have `resolve` and `type`, combined guards have `check`. */
interface Marked {
  readonly type?: string;
  readonly delay?: unknown;
  readonly check?: unknown;
  readonly guards?: readonly unknown[];
  readonly stateValue?: unknown;
}

/**
 * Walks a chart and throws `KindRefused` for everything that a pure step does not support: delays, child actors, side
 * effects, inline code in the configuration, unknown names, unbounded loops, parts on events that they do not accept.
 */
export function checkChart(kind: string, machine: AnyStateMachine): void {
  const refuse = (state: string, member: string): never => {
    throw new KindRefused(kind, `state ${state}: ${member}`);
  };
  checkBound(kind, machine);
  checkImplementations(kind, machine);
  const nodes: AnyStateNode[] = [machine.root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    checkNode(machine, node, (member) => refuse(nameOf(node as AnyStateNode), member));
    nodes.push(...(Object.values(node.states) as AnyStateNode[]));
  }
}

type Refuse = (member: string) => never;

function nameOf(node: AnyStateNode): string {
  return node.path.length === 0 ? '(root)' : node.path.join('.');
}

function checkBound(kind: string, machine: AnyStateMachine): void {
  const bound = (machine.options as { readonly maxIterations?: number } | undefined)?.maxIterations;
  if (bound === undefined || !(bound >= 1 && bound <= ITERATIONS_MAX)) {
    throw new KindRefused(kind, `options.maxIterations must be 1 to ${ITERATIONS_MAX}, or eventless loops never end`);
  }
}

function checkImplementations(kind: string, machine: AnyStateMachine): void {
  const { actions, guards, actors, delays } = machine.implementations;
  for (const name of Object.keys(actors)) throw new KindRefused(kind, `setup: actors.${name}: charts have no children`);
  for (const name of Object.keys(delays)) throw new KindRefused(kind, `setup: delays.${name}: charts have no clock`);
  for (const [name, action] of Object.entries(actions)) {
    const fault = faultOfAction(action);
    if (fault !== null) throw new KindRefused(kind, `setup: actions.${name}: ${fault}`);
  }
  for (const [name, guard] of Object.entries(guards)) {
    const refuse: Refuse = (member) => {
      throw new KindRefused(kind, `setup: guards.${name}: ${member}`);
    };
    if (typeof guard !== 'function') refuse('is not a function');
    if ((guard as Marked).check !== undefined) checkGuard(machine, guard, 'guard', refuse);
  }
}

/** The reason why a named action is not allowed, or null. */
function faultOfAction(action: unknown): string | null {
  if (emits(action)) return null;
  if (typeof action !== 'function') return 'is not a function';
  const { type, delay } = action as Marked;
  if (!('resolve' in action)) return 'is a plain function; only assign, raise and emit of the runtime are allowed';
  if (type === 'xstate.assign') return null;
  if (type === 'xstate.raise') return delay === undefined ? null : 'raises with a delay; charts have no clock';
  return `is ${type}; only assign, raise and emit of the runtime are allowed`;
}

function checkNode(machine: AnyStateMachine, node: AnyStateNode, refuse: Refuse): void {
  const config = node.config as Record<string, unknown>;
  for (const member of ['invoke', 'after', 'route']) {
    const value = config[member];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) refuse(`${member} is not allowed`);
  }
  if (node.type === 'history') refuse('history states are not persisted');
  checkActions(machine, node.entry, 'entry', refuse);
  checkActions(machine, node.exit, 'exit', refuse);
  const initial = config.initial as { readonly actions?: unknown } | string | undefined;
  if (typeof initial === 'object') checkActions(machine, listOf(initial.actions), 'initial', refuse);
  for (const [type, transitions] of node.transitions) {
    for (const transition of transitions) checkTransition(machine, transition, `on "${type}"`, refuse, type);
  }
  for (const transition of node.always ?? []) checkTransition(machine, transition, 'always', refuse);
}

function checkTransition(
  machine: AnyStateMachine,
  transition: { readonly actions: readonly unknown[]; readonly guard?: unknown },
  member: string,
  refuse: Refuse,
  event = '*',
): void {
  checkActions(machine, transition.actions, member, refuse, event);
  if (transition.guard !== undefined) checkGuard(machine, transition.guard, member, refuse, event);
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function nameIn(reference: unknown): string | null {
  if (typeof reference === 'string') return reference;
  const type = (reference as { readonly type?: unknown } | null)?.type;
  return typeof type === 'string' ? type : null;
}

function checkActions(
  machine: AnyStateMachine,
  actions: readonly unknown[],
  member: string,
  refuse: Refuse,
  event = '*',
): void {
  const parts = machine.implementations.actions;
  for (const action of actions) {
    if (typeof action === 'function') {
      const builtIn = (action as Marked).type;
      refuse(`${member}: inline action${builtIn ? ` ${builtIn}` : ''}; name it in setup`);
    }
    const name = nameIn(action);
    if (name === null) refuse(`${member}: an action without a name`);
    else if (!Object.hasOwn(parts, name)) refuse(`${member}: unknown action ${name}`);
    else if (!takes(parts[name], event)) refuse(`${member}: action ${name} does not accept this event`);
  }
}

function checkGuard(machine: AnyStateMachine, guard: unknown, member: string, refuse: Refuse, event = '*'): void {
  const parts = machine.implementations.guards;
  if (typeof guard === 'function') {
    const { check, guards, stateValue } = guard as Marked;
    if (check !== undefined && stateValue !== undefined) return;
    if (check === undefined || guards === undefined) refuse(`${member}: inline guard; name it in setup`);
    for (const inner of guards ?? []) checkGuard(machine, inner, member, refuse, event);
    return;
  }
  const name = nameIn(guard);
  if (name === null) refuse(`${member}: a guard without a name`);
  else if (!Object.hasOwn(parts, name)) refuse(`${member}: unknown guard ${name}`);
  else if (!takes(parts[name], event)) refuse(`${member}: guard ${name} does not accept this event`);
}

/** `event` has a wildcard where it is not known: entries, exits, eventless transitions. */
function takes(part: unknown, event: string): boolean {
  return event.includes('*') || accepts(part, event);
}
