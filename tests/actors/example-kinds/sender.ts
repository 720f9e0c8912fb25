/** A sender proves what arrives, and how often: it posts any message, starts any activity, and records what it receives. */
import { assign, setup } from 'xstate';
import type { Repeats } from '../../../actors/runtime/actor/effect.ts';
import { emit } from '../../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Json, Stamped } from '../../../actors/runtime/actor/event.ts';
import { testKind } from './test-kind.ts';

interface Records {
  readonly received: readonly string[];
  readonly moods: { readonly refuses: boolean };
}
type Event = ActorEvent & Stamped;

const RECORDS_MAX = 200;

const machine = setup({
  types: {} as { context: Records; events: Event },
  guards: { refuses: ({ context }) => context.moods.refuses },
  actions: {
    record: assign({
      received: ({ context, event }) =>
        [...context.received, JSON.stringify(event.note ?? event.result ?? event.failure)].slice(-RECORDS_MAX),
    }),
    throw: assign(() => {
      throw new Error('not in the mood');
    }),
    count: assign({
      received: ({ context, event }) =>
        [...context.received, JSON.stringify(`attempt ${event.attempt}`)].slice(-RECORDS_MAX),
    }),
    change: assign({ moods: ({ event }) => ({ refuses: event.refuses === true }) }),
    post: emit<Records, Event>(({ event }) =>
      (event.messages as unknown as readonly { to: string; event: ActorEvent }[]).map((message) => ({
        type: 'send' as const,
        ...message,
      })),
    ),
    work: emit<Records, Event>(({ event }) => ({
      type: 'perform',
      name: String(event.name ?? 'work'),
      id: String(event.id),
      input: event.input ?? null,
      deadlineAt: event.at + Number(event.inMs ?? 60_000),
      ...(event.repeats === undefined ? {} : { repeats: event.repeats as unknown as Repeats }),
    })),
    drop: emit<Records, Event>(({ event }) => ({ type: 'cancel', perform: String(event.id) })),
    remind: emit<Records, Event>(({ event }) => ({
      type: 'schedule',
      name: 'note',
      at: event.at + Number(event.inMs),
      event: { type: 'note', note: 'reminded' },
    })),
    stop: emit<Records, Event>(() => ({ type: 'stop' })),
    answer: emit<Records, Event>(({ context }) => ({ type: 'reply', body: context.received as unknown as Json })),
  },
}).createMachine({
  context: { received: [], moods: { refuses: false } },
  options: { maxIterations: 100 },
  initial: 'up',
  states: {
    up: {
      on: {
        open: { actions: 'answer' },
        mood: { actions: ['change', 'answer'] },
        note: [{ guard: 'refuses', actions: ['record', 'throw'] }, { actions: ['record', 'answer'] }],
        'work.done': [{ guard: 'refuses', actions: 'throw' }, { actions: 'record' }],
        'work.failed': { actions: 'record' },
        'work.attempt': [{ guard: 'refuses', actions: 'throw' }, { actions: 'count' }],
        'unknown.done': {},
        'unknown.failed': {},
        'unknown.attempt': {},
        post: { actions: ['post', 'answer'] },
        // Records and sends in one commit, as a line of a batch does; a receiver answers.
        deliver: { actions: ['record', 'post'] },
        work: { actions: ['work', 'answer'] },
        drop: { actions: ['drop', 'answer'] },
        remind: { actions: ['remind', 'answer'] },
        stop: { actions: ['stop', 'answer'] },
        finish: { target: 'over', actions: 'answer' },
      },
    },
    over: { type: 'final' },
  },
});

export const senderKind = testKind({
  name: 'sender',
  machine,
  creates: ['open', 'note', 'deliver'],
  activities: ['work', 'unknown'],
  explain: () => ['sends messages'],
});
