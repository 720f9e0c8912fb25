import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Stamped } from '../../actors/runtime/index.ts';
import { testKind } from '../actors/example-kinds/test-kind.ts';

/** Events of an alarm: set timers at these times (store time in ms), and the events of its timers. */
type AlarmEvent = Stamped &
  (
    | { readonly type: 'alarm.set'; readonly dueAt: readonly number[] }
    | { readonly type: 'alarm.ring'; readonly dueAt: number }
  );

interface Alarm {
  readonly rung: number;
}

const machine = setup({
  types: {} as { context: Alarm; events: AlarmEvent; input: { address: string } },
  actions: {
    count: assign(({ context }) => ({ rung: context.rung + 1 })),
    set: emit<Alarm, AlarmEvent>(({ event }) => [
      ...(event.type === 'alarm.set' ? event.dueAt : []).map(
        (dueAt, at) => ({ type: 'schedule', name: `t${at}`, at: dueAt, event: { type: 'alarm.ring', dueAt } }) as const,
      ),
      { type: 'reply', body: null },
    ]),
    tell: emit<Alarm, AlarmEvent>(({ event }) =>
      event.type === 'alarm.ring' ? [{ type: 'publish', topic: 'rung', key: 'any', value: event.dueAt }] : [],
    ),
  },
}).createMachine({
  id: 'alarm',
  context: { rung: 0 },
  initial: 'set',
  states: { set: { on: { 'alarm.set': { actions: 'set' }, 'alarm.ring': { actions: ['count', 'tell'] } } } },
  options: { maxIterations: 100 },
});

/** An actor whose timers each cause one durable step, reported to the engine's host once it is on the disk. */
export const alarmKind = testKind({
  name: 'alarm',
  machine,
  creates: ['alarm.set'],
  explain: () => ['an alarm of the benchmarks'],
});

export function setTo(dueAt: readonly number[]): ActorEvent {
  return { type: 'alarm.set', dueAt };
}
