/**
 * A counter proves the life of one actor: its state outlives its node, a poisoned step leaves nothing, timers fire, a peek
 * is volatile, and the board shows its total. With a note it is a register: written, read, and swapped if it is as expected.
 */
import { assign, setup } from 'xstate';
import { emit } from '../../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Json, Stamped } from '../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../actors/runtime/actor/kind.ts';

interface Count {
  readonly address: string;
  readonly total: number;
  readonly seen: number;
  readonly lastAt: number;
  /** The note of the latest addition that had one. */
  readonly note: string | null;
}

type CounterEvent = ActorEvent & Stamped;

const numberIn = (event: ActorEvent, name: string): number => (typeof event[name] === 'number' ? event[name] : 0);

/** The times of the timers to set: the given ones, or one after so many ms. */
const timesIn = (event: CounterEvent): readonly number[] =>
  (event.dueAt as unknown as readonly number[] | undefined) ?? [event.at + numberIn(event, 'inMs')];

const counterMachine = setup({
  types: {} as { context: Count; events: CounterEvent; input: { address: string } },
  guards: {
    isPoison: ({ event }) => event.poison === true,
    isAsExpected: ({ context, event }) => event.expect === undefined || event.expect === context.note,
  },
  actions: {
    add: assign({
      total: ({ context, event }) => context.total + numberIn(event, 'by'),
      lastAt: ({ event }) => event.at,
      note: ({ context, event }) => (event.note === undefined ? context.note : String(event.note)),
    }),
    note: assign({ seen: ({ context }) => context.seen + 1 }),
    explode: assign(() => {
      throw new Error('poisoned');
    }),
    breakJson: assign({ total: () => 1n as unknown as number }),
    answer: emit<Count, CounterEvent>(({ context }) => ({
      type: 'reply',
      body: { total: context.total, seen: context.seen, lastAt: context.lastAt, note: context.note },
    })),
    publish: emit<Count, CounterEvent>(({ context }) => ({
      type: 'publish',
      topic: 'counters',
      key: context.address,
      value: context.total,
    })),
    remind: emit<Count, CounterEvent>(({ event }) => {
      const name = String(event.name ?? 'tick');
      const payload = (event.payload as unknown as ActorEvent | undefined) ?? {
        type: 'tick',
        by: numberIn(event, 'by'),
      };
      return timesIn(event).map(
        (at, i) => ({ type: 'schedule', name: i === 0 ? name : `${name}${i}`, at, event: payload }) as const,
      );
    }),
    forget: emit<Count, CounterEvent>(({ event }) => ({ type: 'cancel', name: String(event.name ?? 'tick') })),
    stop: emit<Count, CounterEvent>(() => ({ type: 'stop' })),
    twice: emit<Count, CounterEvent>(() => [
      { type: 'reply', body: 1 },
      { type: 'reply', body: 2 },
    ]),
  },
}).createMachine({
  id: 'counter',
  initial: 'counting',
  context: ({ input }) => ({ address: input.address, total: 0, seen: 0, lastAt: 0, note: null }),
  options: { maxIterations: 100 },
  states: {
    counting: {
      on: {
        add: [{ guard: 'isPoison', actions: ['add', 'explode'] }, { actions: ['add', 'answer'] }],
        tick: [{ guard: 'isPoison', actions: 'explode' }, { actions: ['add'] }],
        read: { actions: 'answer' },
        peek: { actions: ['note', 'publish', 'answer'] },
        publish: [{ guard: 'isAsExpected', actions: ['add', 'publish', 'answer'] }, { actions: 'answer' }],
        mute: { actions: 'add' },
        remind: { actions: ['remind', 'answer'] },
        forget: { actions: ['forget', 'answer'] },
        stop: { actions: ['stop', 'answer'] },
        twice: { actions: ['add', 'twice'] },
        break: { actions: ['breakJson', 'answer'] },
        finish: { target: 'finished', actions: 'answer' },
        'actor.activated': { actions: ['add', 'publish'] },
      },
    },
    finished: { type: 'final' },
  },
});

export const counterKind: Kind = {
  name: 'counter',
  machine: counterMachine,
  version: 1,
  creates: ['add', 'peek', 'publish', 'remind', 'mute'],
  finishes: ['finish'],
  volatile: ['peek'],
  resident: false,
  collections: {},
  explain: (view) => [`counts ${JSON.stringify((view.context as { total: number }).total)}`],
  redact: (context) => ({ ...(context as Record<string, Json>), address: 'hidden' }),
};
