import type { AnyStateMachine, AnyStateNode } from 'xstate';

/**
 * The event types a chart has transitions for, or null where a type it does not list may still matter: a wildcard, or
 * an eventless transition, whose guard sees the event too.
 */
export function knownEvents(machine: AnyStateMachine): ReadonlySet<string> | null {
  const known = new Set<string>();
  const nodes: AnyStateNode[] = [machine.root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.always !== undefined && node.always.length > 0) return null;
    for (const type of node.transitions.keys()) {
      if (type === '*' || type.endsWith('.*')) return null;
      known.add(type);
    }
    nodes.push(...(Object.values(node.states) as AnyStateNode[]));
  }
  return known;
}
