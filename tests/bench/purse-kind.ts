import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Stamped } from '../../actors/runtime/index.ts';
import { testKind } from '../support/test-kind.ts';

/** The events of a purse in the benchmarks. */
type PurseEvent = Stamped &
  (
    | { readonly type: 'purse.open' }
    | { readonly type: 'purse.debit'; readonly amount: number }
    | { readonly type: 'purse.show' }
  );

interface Purse {
  readonly balance: number;
  readonly debits: number;
}

const machine = setup({
  types: {} as { context: Purse; events: PurseEvent; input: { address: string } },
  actions: {
    debit: assign(({ context, event }) => ({
      balance: context.balance - (event.type === 'purse.debit' ? event.amount : 0),
      debits: context.debits + 1,
    })),
    answer: emit<Purse, PurseEvent>(({ context }) => ({ type: 'reply', body: { balance: context.balance } })),
  },
}).createMachine({
  id: 'purse',
  context: { balance: 1_000_000_000, debits: 0 },
  initial: 'open',
  states: {
    open: {
      on: {
        'purse.open': { actions: 'answer' },
        'purse.debit': { actions: ['debit', 'answer'] },
        'purse.show': { actions: 'answer' },
      },
    },
  },
  options: { maxIterations: 100 },
});

/** A minimal actor: a debit is durable before its answer, showing the balance changes nothing. */
export const purseKind = testKind({
  name: 'purse',
  machine,
  creates: ['purse.open'],
  volatile: ['purse.show'],
  explain: () => ['a purse of the benchmarks'],
});

export const OPEN: ActorEvent = { type: 'purse.open' };
export const DEBIT: ActorEvent = { type: 'purse.debit', amount: 1 };
export const SHOW: ActorEvent = { type: 'purse.show' };
