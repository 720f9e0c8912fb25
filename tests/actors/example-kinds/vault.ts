/** A test kind that pays out up to its amount, refuses more, and handles no payment while it is closed. */
import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Kind, type Stamped } from '../../../actors/runtime/index.ts';

interface Vault {
  readonly amount: number;
}

type VaultEvent = ActorEvent & Stamped;
const amountIn = (event: VaultEvent): number => Number(event.amount ?? 0);

const machine = setup({
  types: {} as { context: Vault; events: VaultEvent },
  guards: { covers: ({ context, event }) => context.amount >= amountIn(event) },
  actions: {
    credit: assign({ amount: ({ context, event }) => context.amount + amountIn(event) }),
    debit: assign({ amount: ({ context, event }) => context.amount - amountIn(event) }),
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
        take: [{ guard: 'covers', actions: ['debit', 'answer'] }, { actions: 'refuse' }],
        // Wrong on purpose: a step that refuses must not change state or reply.
        sloppy: { actions: ['debit', 'refuse'] },
        both: { actions: ['answer', 'refuse'] },
        close: { target: 'closed', actions: 'answer' },
      },
    },
    closed: { on: { reopen: { target: 'open', actions: 'answer' } } },
  },
  on: { fill: { actions: ['credit', 'answer'] }, show: { actions: 'answer' } },
});

export const vaultKind: Kind = {
  ...{ name: 'vault', machine, version: 1, creates: ['fill'], finishes: ['take'], volatile: [], collections: {} },
  explain: () => ['holds money'],
  redact: (context) => context,
};
