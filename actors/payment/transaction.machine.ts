/**
 * The chart of one transaction of a payment network: the first payment that names it is credited, every other one is told
 * that it is taken. So a facilitator that names one transaction for two payments credits one.
 */
import { assign, setup } from 'xstate';
import { type Effect, emit } from '../runtime/index.ts';
import { only, plain } from '../terms/chart-tools.ts';
import { accountAddress } from '../terms/ids.ts';
import { type DepositSource, paymentAddress } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';
import type { TransactionClaim, TransactionEvent } from './events.ts';

export interface TransactionState {
  readonly address: string;
  /** Id of the deposit that it pays; null only during the step that claims it. */
  readonly deposit: string | null;
  /** Account id, without the kind. */
  readonly account: string;
  readonly amount: string;
  readonly source: DepositSource | null;
  readonly by: Principal | null;
}

export const transactionMachine = setup({
  types: {} as { context: TransactionState; events: TransactionEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.deposit === null,
    isOwn: ({ context, event }) => context.deposit === only(event, 'transaction.claim').deposit,
  },
  actions: {
    take: assign(({ event }) => taken(only(event, 'transaction.claim'))),
    credit: emit<TransactionState, TransactionEvent>(({ context }) => credit(context)),
    refuse: emit<TransactionState, TransactionEvent>(({ event }) => refuse(only(event, 'transaction.claim'))),
  },
}).createMachine({
  id: 'transaction',
  initial: 'claimed',
  context: ({ input }) => ({ address: input.address, deposit: null, account: '', amount: '0', source: null, by: null }),
  options: { maxIterations: 1000 },
  states: {
    claimed: {
      on: {
        'transaction.claim': [
          { guard: 'isNew', actions: ['take', 'credit'] },
          // Harmless: the account credits a deposit once, and answers the payment again.
          { guard: 'isOwn', actions: 'credit' },
          { actions: 'refuse' },
        ],
      },
    },
  },
});

function taken({ deposit, account, amount, source, by }: TransactionClaim): Partial<TransactionState> {
  return { deposit, account, amount, source, by };
}

function credit({ deposit, account, amount, source, by }: TransactionState): Effect {
  const from = { source: plain(source as DepositSource), by: plain(by as Principal) };
  const event = { type: 'deposit.credit', deposit, amount, ...from };
  return { type: 'send', to: accountAddress(account), event };
}

function refuse({ deposit }: TransactionClaim): Effect {
  return { type: 'send', to: paymentAddress(deposit), event: { type: 'transaction.taken' } };
}
