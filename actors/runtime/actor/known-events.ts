import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** What a chart's transitions say about the events it answers to. */
export interface ChartEvents {
  /** Somewhere a transition needs no event. */
  readonly eventless: boolean;
  /** The types it has transitions for, or null where it has wildcards. */
  readonly named: ReadonlySet<string> | null;
  /** The same, or null where another type may matter too: to an eventless transition, whose guard sees the event. */
  readonly knows: ReadonlySet<string> | null;
}

/** Walks all transitions of a chart. */
export function eventsOf(machine: AnyStateMachine): ChartEvents {
  const known = new Set<string>();
  let wild = false;
  let eventless = false;
  const nodes: AnyStateNode[] = [machine.root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.always !== undefined && node.always.length > 0) eventless = true;
    for (const type of node.transitions.keys()) {
      if (type === '*' || type.endsWith('.*')) wild = true;
      known.add(type);
    }
    nodes.push(...(Object.values(node.states) as AnyStateNode[]));
  }
  const named = wild ? null : known;
  return { eventless, named, knows: eventless ? null : named };
}
