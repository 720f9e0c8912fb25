/** The second chart of the tally: stores the sum in cents and adds a region. */
import { assign, setup } from 'xstate';
import { emit, type Kind } from '../../actors/runtime/index.ts';
import { tally } from './tally.ts';

interface Context {
  readonly cents: number;
}
type Event = { readonly type: 'tally.add'; readonly by: number } | { readonly type: 'tally.read' };

const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as { address: string } },
  actions: {
    add: assign({
      cents: ({ context, event }) => context.cents + (event.type === 'tally.add' ? event.by * 100 : 0),
    }),
    answer: emit(({ context }: { context: Context; event: Event }) => ({
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

export const tallyTwo: Kind = {
  ...tally,
  machine,
  version: 2,
  upcast: ({ context, status }) => ({
    value: { sum: 'open', audit: 'off' },
    context: { cents: (context as { sum: number }).sum * 100 },
    status,
  }),
  downcast: ({ context, status }) => ({
    value: 'open',
    context: { sum: (context as unknown as Context).cents / 100 },
    status,
  }),
  explain: (view) => [`It has added up to ${(view.context as unknown as Context).cents} cents.`],
};
