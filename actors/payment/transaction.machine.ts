/**
 * The chart of one transaction of a payment network: the first payment that names it is credited, every other one is
 * notified that it is taken. So a facilitator that names one transaction for two payments credits one.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { accountAddress } from '../terms/ids.ts';
import { type DepositSource, paymentAddress } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';

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

/** From a payment: credits its account unless the transaction has credited another payment. */
type TransactionClaim = Stamped & {
  readonly type: 'transaction.claim';
  readonly deposit: string;
  readonly account: string;
  readonly amount: string;
  readonly source: DepositSource;
  /** The principal that presented the payment, or resolved it. */
  readonly by: Principal;
};

export const transactionMachine = setup({
  types: {} as { context: TransactionState; events: TransactionClaim; input: { address: string } },
  guards: {
    isNew: guardOn('*', ({ deposit }: TransactionState) => deposit === null),
    isOwn: guardOn('transaction.claim', (state: TransactionState, { deposit }: TransactionClaim) => {
      return state.deposit === deposit;
    }),
  },
  actions: {
    keepClaim: assignOn('transaction.claim', keptOf),
    creditAccount: emitOn('*', creditAccount),
    notifyTaken: emitOn('transaction.claim', notifyTaken),
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
          { guard: 'isNew', actions: ['keepClaim', 'creditAccount'] },
          // Harmless: the account credits a deposit once, and answers the payment again.
          { guard: 'isOwn', actions: 'creditAccount' },
          { actions: 'notifyTaken' },
        ],
      },
    },
  },
});

function keptOf(
  _: TransactionState,
  { deposit, account, amount, source, by }: TransactionClaim,
): Partial<TransactionState> {
  return { deposit, account, amount, source, by };
}

function creditAccount({ deposit, account, amount, source, by }: TransactionState): Effect {
  const from = { source: plain(source as DepositSource), by: plain(by as Principal) };
  const event = { type: 'deposit.credit', deposit, amount, ...from };
  return { type: 'send', to: accountAddress(account), event };
}

function notifyTaken(_: TransactionState, { deposit }: TransactionClaim): Effect {
  return { type: 'send', to: paymentAddress(deposit), event: { type: 'transaction.taken' } };
}
