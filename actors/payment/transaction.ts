/** The kind of transactions: one actor per transaction of a network, made by the first payment that names it. */
import type { Json, Kind } from '../runtime/index.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { type TransactionState, transactionMachine } from './transaction.machine.ts';

export const transactionKind: Kind = {
  name: 'transaction',
  machine: transactionMachine,
  version: 1,
  creates: ['transaction.claim'],
  finishes: [],
  volatile: [],
  collections: {},
  history: EVERY_STEP,
  explain: ({ context }) => {
    const { deposit, account, amount, source } = context as unknown as TransactionState;
    return [
      `Transaction ${source?.transaction} of ${source?.network} pays deposit ${deposit}: ${amount} USD to ${account}.`,
    ];
  },
  redact: (context: Json) => context,
};
