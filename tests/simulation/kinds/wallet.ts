/** A test kind: numbered transfers to wallets of other owners, mostly in other shards. */
import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Json, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from '../../support/test-kind.ts';

interface Wallet {
  readonly amount: number;
  /** Transfers sent so far: each carries its number. */
  readonly sent: number;
  readonly received: number;
}

/** A transfer as stored by its receiver. */
export interface Receipt {
  readonly transfer: string;
  readonly from: string;
  readonly number: number;
  readonly amount: number;
  /** How often it arrived, and its position among all received transfers. */
  readonly times: number;
  readonly order: number;
}

type WalletEvent = ActorEvent & Stamped;

const known = (event: WalletEvent): Receipt | null => (event.rows.known?.[0]?.body as unknown as Receipt) ?? null;

const walletMachine = setup({
  types: {} as { context: Wallet; events: WalletEvent },
  guards: { covers: ({ context, event }) => context.amount >= Number(event.amount) },
  actions: {
    fill: assign({ amount: ({ context, event }) => context.amount + Number(event.amount) }),
    debit: assign({
      amount: ({ context, event }) => context.amount - Number(event.amount),
      sent: ({ context }) => context.sent + 1,
    }),
    send: emit<Wallet, WalletEvent>(({ context, event }) => [
      {
        type: 'send',
        to: String(event.to),
        event: {
          type: 'wallet.receive',
          transfer: String(event.transfer),
          from: event.self,
          number: context.sent,
          amount: Number(event.amount),
        },
      },
      { type: 'reply', body: { sent: true } },
    ]),
    refuse: emit(() => ({ type: 'reply', body: { sent: false } })),
    credit: assign({
      amount: ({ context, event }) => context.amount + Number(event.amount),
      received: ({ context }) => context.received + 1,
    }),
    record: emit<Wallet, WalletEvent>(({ context, event }) => {
      const { transfer, from, number, amount } = event as unknown as Receipt;
      const receipt = {
        transfer,
        from,
        number,
        amount,
        times: (known(event)?.times ?? 0) + 1,
        order: context.received,
      };
      return { type: 'put', collection: 'receipt', id: transfer, body: receipt as unknown as Json };
    }),
    answer: emit<Wallet, WalletEvent>(({ context }) => ({ type: 'reply', body: { amount: context.amount } })),
  },
}).createMachine({
  id: 'wallet',
  initial: 'open',
  context: { amount: 0, sent: 0, received: 0 },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        'wallet.fill': { actions: ['fill', 'answer'] },
        'wallet.pay': [{ guard: 'covers', actions: ['debit', 'send'] }, { actions: 'refuse' }],
        'wallet.receive': { actions: ['credit', 'record'] },
      },
    },
  },
});

export const walletKind = testKind({
  name: 'wallet',
  machine: walletMachine,
  creates: ['wallet.fill'],
  collections: { receipt: { sort: (body: Receipt) => body.order } },
  rows: (event) =>
    event.type === 'wallet.receive'
      ? [{ as: 'known', collection: 'receipt', id: String(event.transfer), mayBeStored: true }]
      : [],
});
