import type { RegisteredKind } from '../../../actors/runtime/actor/charts/register.ts';
import type { Snapshot } from '../../../actors/runtime/actor/charts/snapshot.ts';
import type { ActorEvent, Stamped } from '../../../actors/runtime/actor/event.ts';
import type { Effect } from '../../../actors/runtime/index.ts';

/** The same step entirely by XState's own algorithm; `step` must agree with it in every case. */
export function xstateStep(
  { scope, machine }: RegisteredKind,
  before: Snapshot,
  event: ActorEvent,
  stamped: Stamped,
): {
  readonly value: unknown;
  readonly context: unknown;
  readonly status: string;
  readonly effects: readonly Effect[];
  readonly handled: boolean;
} {
  scope.begin();
  const seen = { ...event, ...stamped };
  const { value, context, status } = machine.transition(before, seen, scope.xstate) as Snapshot;
  const handled = machine.getTransitionData(before as never, seen).length > 0;
  return { value, context, status, effects: scope.collected(), handled };
}
