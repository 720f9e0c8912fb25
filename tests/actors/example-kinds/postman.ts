/**
 * A test kind that sends the given messages to the given addresses, starts activities, and records what it receives.
 */
import { assign, setup } from 'xstate';
import type { Repeats } from '../../../actors/runtime/actor/activity-record.ts';
import { emit } from '../../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Json, Stamped } from '../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../actors/runtime/actor/kind.ts';

interface Memory {
  readonly heard: readonly string[];
  readonly moods: { readonly refuses: boolean };
}
type Event = ActorEvent & Stamped;

const HEARD_MAX = 200;

const machine = setup({
  types: {} as { context: Memory; events: Event },
  guards: { refuses: ({ context }) => context.moods.refuses },
  actions: {
    hear: assign({
      heard: ({ context, event }) =>
        [...context.heard, JSON.stringify(event.note ?? event.result ?? event.failure)].slice(-HEARD_MAX),
    }),
    throw: assign(() => {
      throw new Error('not in the mood');
    }),
    count: assign({
      heard: ({ context, event }) => [...context.heard, JSON.stringify(`attempt ${event.attempt}`)].slice(-HEARD_MAX),
    }),
    change: assign({ moods: ({ event }) => ({ refuses: event.refuses === true }) }),
    post: emit<Memory, Event>(({ event }) =>
      (event.letters as unknown as readonly { to: string; event: ActorEvent }[]).map((letter) => ({
        type: 'send' as const,
        ...letter,
      })),
    ),
    work: emit<Memory, Event>(({ event }) => ({
      type: 'perform',
      name: String(event.name ?? 'work'),
      id: String(event.id),
      input: event.input ?? null,
      deadlineAt: event.at + Number(event.inMs ?? 60_000),
      ...(event.repeats === undefined ? {} : { repeats: event.repeats as unknown as Repeats }),
    })),
    drop: emit<Memory, Event>(({ event }) => ({ type: 'cancel', perform: String(event.id) })),
    remind: emit<Memory, Event>(({ event }) => ({
      type: 'schedule',
      name: 'note',
      at: event.at + Number(event.inMs),
      event: { type: 'note', note: 'reminded' },
    })),
    stop: emit<Memory, Event>(() => ({ type: 'stop' })),
    answer: emit<Memory, Event>(({ context }) => ({ type: 'reply', body: context.heard as unknown as Json })),
  },
}).createMachine({
  context: { heard: [], moods: { refuses: false } },
  options: { maxIterations: 100 },
  initial: 'up',
  states: {
    up: {
      on: {
        open: { actions: 'answer' },
        mood: { actions: ['change', 'answer'] },
        note: [{ guard: 'refuses', actions: ['hear', 'throw'] }, { actions: ['hear', 'answer'] }],
        'work.done': [{ guard: 'refuses', actions: 'throw' }, { actions: 'hear' }],
        'work.failed': { actions: 'hear' },
        'work.attempt': [{ guard: 'refuses', actions: 'throw' }, { actions: 'count' }],
        'unknown.done': {},
        'unknown.failed': {},
        'unknown.attempt': {},
        post: { actions: ['post', 'answer'] },
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

export const postmanKind: Kind = {
  name: 'postman',
  machine,
  version: 1,
  creates: ['open', 'note'],
  finishes: [],
  volatile: [],
  activities: ['work', 'unknown'],
  collections: {},
  explain: () => ['sends messages'],
  redact: (context) => context,
};
