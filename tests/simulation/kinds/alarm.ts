/** A test kind: timers. Each alarm has a row with its due time and how often it fired. */
import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Json, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from '../../actors/example-kinds/test-kind.ts';

interface Clockwork {
  readonly rung: number;
}

export interface Alarm {
  readonly name: string;
  readonly setAt: number;
  readonly dueAt: number;
  readonly rings: number;
  readonly rangAt: number | null;
  readonly cancelled: boolean;
}

type AlarmEvent = ActorEvent & Stamped;

const found = (event: AlarmEvent): Alarm | null => (event.rows.alarm?.[0]?.body as unknown as Alarm) ?? null;
const put = (alarm: Alarm) =>
  ({ type: 'put', collection: 'alarm', id: alarm.name, body: alarm as unknown as Json }) as const;
const dueAt = (event: AlarmEvent): number => event.at + Number(event.inMs);

const alarmMachine = setup({
  types: {} as { context: Clockwork; events: AlarmEvent; input: { address: string } },
  guards: {
    isKnown: ({ event }) => found(event) !== null,
    mayCancel: ({ event }) => found(event)?.rings === 0,
  },
  actions: {
    count: assign({ rung: ({ context }) => context.rung + 1 }),
    wind: emit<Clockwork, AlarmEvent>(({ event }) => {
      const name = String(event.name);
      const alarm = { name, setAt: event.at, dueAt: dueAt(event), rings: 0, rangAt: null, cancelled: false };
      return [
        put(alarm),
        { type: 'schedule', name, at: alarm.dueAt, event: { type: 'alarm.ring', name } },
        { type: 'reply', body: { dueAt: alarm.dueAt } },
      ];
    }),
    ring: emit<Clockwork, AlarmEvent>(({ event }) => {
      const alarm = found(event);
      return alarm === null ? [] : [put({ ...alarm, rings: alarm.rings + 1, rangAt: event.at })];
    }),
    cancel: emit<Clockwork, AlarmEvent>(({ event }) => {
      const alarm = found(event);
      if (alarm === null) return [];
      return [{ type: 'cancel', name: alarm.name }, put({ ...alarm, cancelled: true })];
    }),
    answer: emit<Clockwork, AlarmEvent>(({ event }) => ({ type: 'reply', body: { rings: found(event)?.rings ?? 0 } })),
  },
}).createMachine({
  id: 'alarm',
  initial: 'ticking',
  context: { rung: 0 },
  options: { maxIterations: 100 },
  states: {
    ticking: {
      on: {
        'alarm.set': [{ guard: 'isKnown', actions: 'answer' }, { actions: 'wind' }],
        'alarm.ring': { actions: ['count', 'ring'] },
        'alarm.cancel': [{ guard: 'mayCancel', actions: ['cancel', 'answer'] }, { actions: 'answer' }],
      },
    },
  },
});

export const alarmKind = testKind({
  name: 'alarm',
  machine: alarmMachine,
  creates: ['alarm.set'],
  collections: { alarm: { sort: (body: Alarm) => body.setAt } },
  rows: (event) => [{ as: 'alarm', collection: 'alarm', id: String(event.name), mayBeStored: true }],
});
