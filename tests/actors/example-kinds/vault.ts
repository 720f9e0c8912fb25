/**
 * A test kind that pays out up to its amount, refuses more, and handles no payment while it is closed. A payment for a bill
 * is recorded in a row.
 */
import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Json, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from '../../support/test-kind.ts';

interface Vault {
  readonly amount: number;
}

export interface Payment {
  readonly bill: string;
  readonly amount: number;
  /** How often money was taken for this bill. */
  readonly times: number;
}

type VaultEvent = ActorEvent & Stamped;
const amountIn = (event: VaultEvent): number => Number(event.amount ?? 0);
const known = (event: VaultEvent): Payment | null => (event.rows.payment?.[0]?.body as unknown as Payment) ?? null;

export const vaultMachine = setup({
  types: {} as { context: Vault; events: VaultEvent },
  guards: { covers: ({ context, event }) => context.amount >= amountIn(event) },
  actions: {
    credit: assign({ amount: ({ context, event }) => context.amount + amountIn(event) }),
    debit: assign({ amount: ({ context, event }) => context.amount - amountIn(event) }),
    record: emit<Vault, VaultEvent>(({ event }) => {
      if (event.bill === undefined) return [];
      const payment: Payment = {
        bill: String(event.bill),
        amount: amountIn(event),
        times: (known(event)?.times ?? 0) + 1,
      };
      return [{ type: 'put', collection: 'payment', id: payment.bill, body: payment as unknown as Json }];
    }),
    answer: emit<Vault, VaultEvent>(({ context }) => ({ type: 'reply', body: context.amount })),
    refuse: emit<Vault, VaultEvent>(({ context }) => ({ type: 'refuse', body: { short: context.amount } })),
  },
}).createMachine({
  context: { amount: 0 },
  options: { maxIterations: 10 },
  initial: 'open',
  states: {
    open: {
      on: {
        take: [{ guard: 'covers', actions: ['debit', 'record', 'answer'] }, { actions: 'refuse' }],
        // Wrong on purpose: a step that refuses must not change state or reply.
        sloppy: { actions: ['debit', 'refuse'] },
        both: { actions: ['answer', 'refuse'] },
        close: { target: 'closed', actions: 'answer' },
      },
    },
    closed: {},
  },
  on: {
    fill: { actions: ['credit', 'answer'] },
    show: { actions: 'answer' },
    open: { target: '.open', actions: 'answer' },
  },
});

export const vaultKind = testKind({
  name: 'vault',
  machine: vaultMachine,
  creates: ['fill'],
  finishes: ['take'],
  collections: { payment: { sort: () => 0 } },
  rows: (event) =>
    event.type === 'take' && event.bill !== undefined
      ? [{ as: 'payment', collection: 'payment', id: String(event.bill), mayBeStored: true }]
      : [],
});
