/**
 * A recorded step taken again by the charts of this build: on the state before it, with the rows that it read, in its
 * time. A step is pure, so nothing leaves and nothing is stored.
 */
import type { RegisteredKind } from '../charts/register.ts';
import { persist, restore, type Snapshot } from '../charts/snapshot.ts';
import { step } from '../charts/step.ts';
import type { Effect } from '../effect.ts';
import type { ActorEvent, Json } from '../event.ts';
import type { SavedState } from '../kind.ts';
import { differences } from './patch.ts';
import type { RebuiltStep } from './rebuild.ts';
import { sumOfEffects } from './step-record.ts';

export interface Again {
  /** Null where the step was not taken: `failure` says why. */
  readonly after: SavedState | null;
  readonly effects: readonly Effect[];
  /** The recorded state after the step, as this build's chart holds it; null where the step was not taken. */
  readonly expected: SavedState | null;
  /** Null: the record does not say. */
  readonly sameEffects: boolean | null;
  /** True: the same state, and no other effects. */
  readonly equal: boolean;
  /** Null for a step that was taken. */
  readonly failure: string | null;
}

/** `event`: another event than the recorded one, for the same moment. */
export function again(
  kind: RegisteredKind,
  address: string,
  recorded: RebuiltStep,
  event: ActorEvent = recorded.body.event,
): Again {
  const { body } = recorded;
  if (body.omitted !== undefined) {
    return failed(`its record of ${body.omitted} characters was too long: its event or its rows were left out`);
  }
  try {
    const before = recorded.before === null ? null : restored(kind, address, body.chart, recorded.before);
    const expected = saved(restored(kind, address, body.chart, recorded.after));
    const taken = step(kind, before, event, { at: body.at, self: address, rows: body.rows ?? {} });
    if (!taken.handled) return failed(`no transition takes ${event.type} in state ${taken.from}`);
    const after = saved(taken.snapshot);
    const sameState = differences(expected as unknown as Json, after as unknown as Json).length === 0;
    const sameEffects = body.sum === undefined ? null : sumOfEffects(taken.effects) === body.sum;
    const equal = sameState && sameEffects !== false;
    return { after, expected, effects: taken.effects, sameEffects, equal, failure: null };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(failure: string): Again {
  return { after: null, expected: null, effects: [], sameEffects: null, equal: false, failure };
}

function restored(kind: RegisteredKind, address: string, chart: number, state: SavedState): Snapshot {
  return restore(kind, { address, chart, snapshot: JSON.stringify(state) });
}

/** As stored: without what JSON has no text for. */
function saved(snapshot: Snapshot): SavedState {
  return JSON.parse(persist(snapshot)) as SavedState;
}
