import type { AnyEventObject, AnyTransitionDefinition } from 'xstate';
import type { Effect } from './effect.ts';
import { asked, assigned, type PlainAction, paramsFor, plainActions } from './plain-action.ts';
import type { RegisteredKind } from './registered-kind.ts';
import type { Snapshot } from './snapshot.ts';

/** What a plain step leads to: the very same snapshot where no action assigned. */
export interface PlainStep {
  readonly snapshot: Snapshot;
  readonly effects: readonly Effect[];
}

const NONE: readonly Effect[] = Object.freeze([]);

/**
 * Takes the step where it stays in its state: the transitions are chosen as XState would, guards included, and their
 * actions run here, in their order, each seeing what the ones before assigned. Null where a transition has a target or an
 * action raises, or the chart has eventless transitions: that is XState's whole algorithm, with exit and entry sets which
 * come out empty here.
 */
export function plainStep(kind: RegisteredKind, before: Snapshot, event: AnyEventObject): PlainStep | null {
  if (kind.eventless) return null;
  const actions = chosen(kind, before, event);
  if (actions === null) return null;
  let context: object = before.context;
  let assigns = false;
  let effects: readonly Effect[] | null = null;
  for (let i = 0; i < actions.length; i++) {
    const action = actions[i] as PlainAction;
    const params = paramsFor(action.params, context, event);
    if (action.assigns) {
      context = assigned(kind.scope, action, context, event, params);
      assigns = true;
    } else effects = asked(effects, action.call?.({ context, event }, params) as Effect | readonly Effect[]);
  }
  return { snapshot: assigns ? withContext(before, context) : before, effects: effects ?? NONE };
}

/** The actions of all transitions that are taken; null where one of them is not plain. */
function chosen(kind: RegisteredKind, before: Snapshot, event: AnyEventObject): readonly PlainAction[] | null {
  const { machine, branches } = kind;
  if (branches !== null && typeof before.value === 'string') {
    try {
      const actions = branches.choose(before.value, before.context, event);
      if (actions !== null) return actions;
    } catch {
      // A guard threw, and does so again below, where XState says in which state and for which event.
    }
  }
  const transitions: readonly AnyTransitionDefinition[] = machine.getTransitionData(before as never, event);
  let all: readonly PlainAction[] = [];
  for (const transition of transitions) {
    const actions = plainActions(machine, transition);
    if (actions === null) return null;
    all = all.length === 0 ? actions : all.concat(actions);
  }
  return all;
}

/** A snapshot of XState, whose declared type leaves some of its members out. */
type Whole = Snapshot & Record<'_nodes' | 'matches' | 'hasTag' | 'can' | 'getMeta' | 'toJSON', unknown>;

/**
 * The same state with another context. Member by member and in XState's own order, so that all snapshots have one shape:
 * spread, they were cloned by V8's slow path (Node 20: 1.3 us against 0.05 us). A test holds the members to XState's.
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
