/** The smallest durable actor for cluster tests: adds, replies with its sum, publishes it. */
import { assign, setup } from 'xstate';
import { emit } from '../../actors/runtime/actor/effect.ts';
import { testKind } from '../support/test-kind.ts';

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
