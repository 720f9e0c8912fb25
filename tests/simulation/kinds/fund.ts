/** A test kind: money that billers of its shard take. It refuses amounts above its balance and does not handle takings while shut. */
import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Json, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from '../../support/test-kind.ts';

interface Fund {
  readonly amount: number;
}

export interface Payment {
  readonly bill: string;
  readonly amount: number;
  /** How often money was taken for this bill. */
  readonly times: number;
}

type FundEvent = ActorEvent & Stamped;

const known = (event: FundEvent): Payment | null => (event.rows.payment?.[0]?.body as unknown as Payment) ?? null;

export const fundMachine = setup({
  types: {} as { context: Fund; events: FundEvent },
  guards: { covers: ({ context, event }) => context.amount >= Number(event.amount) },
  actions: {
    fill: assign({ amount: ({ event }) => Number(event.amount) }),
    debit: assign({ amount: ({ context, event }) => context.amount - Number(event.amount) }),
    record: emit<Fund, FundEvent>(({ event }) => {
      const [bill, amount] = [String(event.bill), Number(event.amount)];
      const payment = { bill, amount, times: (known(event)?.times ?? 0) + 1 };
      return { type: 'put', collection: 'payment', id: bill, body: payment as unknown as Json };
    }),
    answer: emit<Fund, FundEvent>(({ context }) => ({ type: 'reply', body: { amount: context.amount } })),
    refuse: emit<Fund, FundEvent>(({ context }) => ({ type: 'refuse', body: { left: context.amount } })),
  },
}).createMachine({
  id: 'fund',
  initial: 'open',
  context: { amount: 0 },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        'fund.take': [{ guard: 'covers', actions: ['debit', 'record', 'answer'] }, { actions: 'refuse' }],
        'fund.shut': { target: 'shut', actions: 'answer' },
      },
    },
    shut: {},
  },
  on: { 'fund.fill': { actions: ['fill', 'answer'] }, 'fund.open': { target: '.open', actions: 'answer' } },
});

export const fundKind = testKind({
  name: 'fund',
  machine: fundMachine,
  creates: ['fund.fill'],
  finishes: ['fund.take'],
  collections: { payment: { sort: () => 0 } },
  rows: (event) =>
    event.type === 'fund.take'
      ? [{ as: 'payment', collection: 'payment', id: String(event.bill), mayBeStored: true }]
      : [],
});
