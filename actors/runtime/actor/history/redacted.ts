/**
 * A recorded step as operators may see it. The kind redacts the states; every text that this hides is hidden wherever
 * else it occurs: in the event, the rows and the effects, and within other texts.
 */
import type { Effect } from '../effect.ts';
import type { ActorEvent, Json, RowView } from '../event.ts';
import type { Kind, SavedState } from '../kind.ts';
import { hiderOf } from '../redaction.ts';
import type { Again } from './again.ts';
import { differences } from './patch.ts';
import type { RebuiltStep } from './rebuild.ts';

/** One member of a state that differs; a value that one side lacks is absent. */
interface ShownDifference {
  /** The members from the root, joined by dots: `context.limit`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

export interface ShownStep {
  readonly version: number;
  /** Store time, ms. */
  readonly at: number;
  readonly event: ActorEvent;
  readonly rows: Readonly<Record<string, readonly RowView[]>>;
  /** Null: the step created the actor. */
  readonly before: SavedState | null;
  readonly after: SavedState;
  readonly difference: readonly ShownDifference[];
  readonly node: string;
  readonly epoch: number;
  /** Chart version that took the step. */
  readonly chart: number;
}

export interface ShownAgain extends Omit<Again, 'expected'> {
  /** From the recorded state after the step to this one. */
  readonly difference: readonly ShownDifference[];
}

export function shownStep(kind: Kind, { version, body, before, after }: RebuiltStep): ShownStep {
  const hide = hiderOfStates(kind, [before, after]);
  const shownBefore = shownState(kind, before, hide);
  const shownAfter = shownState(kind, after, hide) as SavedState;
  const { at, node, epoch, chart, event, rows = {} } = body;
  return {
    version,
    at,
    node,
    epoch,
    chart,
    event: hide(event) as ActorEvent,
    rows: hide(rows as unknown as Json) as unknown as ShownStep['rows'],
    before: shownBefore,
    after: shownAfter,
    difference: shownDifference(shownBefore, shownAfter),
  };
}

export function shownAgain(kind: Kind, { before, after: recorded }: RebuiltStep, again: Again): ShownAgain {
  const { expected, ...taken } = again;
  const hide = hiderOfStates(kind, [before, recorded, expected, taken.after]);
  const after = shownState(kind, taken.after, hide);
  return {
    ...taken,
    after,
    failure: hide(taken.failure) as string | null,
    effects: hide(taken.effects as unknown as Json) as unknown as readonly Effect[],
    difference: after === null ? [] : shownDifference(shownState(kind, expected, hide), after),
  };
}

function shownDifference(before: SavedState | null, after: SavedState): readonly ShownDifference[] {
  const found = differences(before as unknown as Json, after as unknown as Json);
  return found.map(({ path, ...values }) => ({ path: path.join('.'), ...values }));
}

type Hide = (value: Json) => Json;

function shownState(kind: Kind, state: SavedState | null, hide: Hide): SavedState | null {
  return state === null ? null : { ...state, context: hide(plain(kind.redact(state.context))) };
}

function hiderOfStates(kind: Kind, states: readonly (SavedState | null)[]): Hide {
  return hiderOf(
    kind,
    states.map((state) => state?.context ?? null),
  );
}

function plain(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
