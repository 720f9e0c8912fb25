/**
 * A tally proves that nodes of two builds serve the same actors: the smallest durable actor adds, replies with its sum and
 * publishes it; the second chart is that of the later build.
 */
import { assign, setup } from 'xstate';
import { emit, type Kind } from '../../../actors/runtime/index.ts';
import { testKind } from './test-kind.ts';

interface Context {
  readonly sum: number;
}
type Event = { readonly type: 'tally.add'; readonly by: number } | { readonly type: 'tally.read' };

const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as { address: string } },
  actions: {
    add: assign({ sum: ({ context, event }) => context.sum + (event.type === 'tally.add' ? event.by : 0) }),
    answer: emit(({ context }: { context: Context; event: Event }) => ({ type: 'reply', body: { sum: context.sum } })),
    publish: emit(({ context, event }: { context: Context; event: Event & { self?: string } }) => ({
      type: 'publish',
      topic: 'tally',
      key: event.self ?? '',
      value: context.sum,
    })),
  },
}).createMachine({
  id: 'tally',
  initial: 'open',
  context: { sum: 0 },
  options: { maxIterations: 10 },
  states: {
    open: {
      on: {
        'tally.add': { actions: ['add', 'answer', 'publish'] },
        'tally.read': { actions: ['answer'] },
      },
    },
  },
});

export const tally = testKind({
  name: 'tally',
  machine,
  creates: ['tally.add'],
  volatile: ['tally.read'],
  explain: (view) => [`It has added up to ${(view.context as unknown as Context).sum}.`],
});

interface Cents {
  readonly cents: number;
}

const centsMachine = setup({
  types: { context: {} as Cents, events: {} as Event, input: {} as { address: string } },
  actions: {
    add: assign({
      cents: ({ context, event }) => context.cents + (event.type === 'tally.add' ? event.by * 100 : 0),
    }),
    answer: emit(({ context }: { context: Cents; event: Event }) => ({
      type: 'reply',
      body: { sum: context.cents / 100 },
    })),
  },
}).createMachine({
  id: 'tally',
  type: 'parallel',
  context: { cents: 0 },
  options: { maxIterations: 10 },
  states: {
    sum: {
      initial: 'open',
      states: { open: { on: { 'tally.add': { actions: ['add', 'answer'] }, 'tally.read': { actions: ['answer'] } } } },
    },
    audit: { initial: 'off', states: { off: {} } },
  },
});

/** The second chart: stores the sum in cents and adds a region. */
export const tallyTwo: Kind = {
  ...tally,
  machine: centsMachine,
  version: 2,
  upcast: ({ context, status }) => ({
    value: { sum: 'open', audit: 'off' },
    context: { cents: (context as { sum: number }).sum * 100 },
    status,
  }),
  downcast: ({ context, status }) => ({
    value: 'open',
    context: { sum: (context as unknown as Cents).cents / 100 },
    status,
  }),
  explain: (view) => [`It has added up to ${(view.context as unknown as Cents).cents} cents.`],
};
