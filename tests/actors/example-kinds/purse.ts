/** A test kind: money moves between two purses of one owner in one cascade, atomically. */
import { assign, setup } from 'xstate';
import { emit } from '../../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Stamped } from '../../../actors/runtime/actor/event.ts';
import { testKind } from '../../support/test-kind.ts';

interface Purse {
  readonly address: string;
  readonly amount: number;
}

type PurseEvent = ActorEvent & Stamped;
const amountIn = (event: PurseEvent): number => Number(event.amount ?? 0);

const purseMachine = setup({
  types: {} as { context: Purse; events: PurseEvent; input: { address: string } },
  guards: {
    covers: ({ context, event }) => context.amount >= amountIn(event),
    overflows: ({ context, event }) => context.amount + amountIn(event) > 1_000_000,
    isLeft: ({ event }) => Number(event.left ?? 0) > 0,
  },
  actions: {
    credit: assign({ amount: ({ context, event }) => context.amount + amountIn(event) }),
    debit: assign({ amount: ({ context, event }) => context.amount - amountIn(event) }),
    overflow: assign(() => {
      throw new Error('the purse overflows');
    }),
    answer: emit<Purse, PurseEvent>(({ context }) => ({ type: 'reply', body: context.amount })),
    refuse: emit<Purse, PurseEvent>(() => ({ type: 'reply', body: 'short' })),
    pass: emit<Purse, PurseEvent>(({ event }) => ({
      type: 'send',
      to: String(event.to),
      event: { type: 'receive', amount: amountIn(event) },
    })),
    endow: emit<Purse, PurseEvent>(({ event }) => ({
      type: 'send',
      to: String(event.to),
      event: { type: 'fill', amount: amountIn(event) },
    })),
    bounce: emit<Purse, PurseEvent>(({ context, event }) => ({
      type: 'send',
      to: String(event.to),
      event: { type: 'bounce', to: context.address, left: Number(event.left ?? 0) - 1 },
    })),
  },
}).createMachine({
  id: 'purse',
  initial: 'open',
  context: ({ input }) => ({ address: input.address, amount: 0 }),
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        fill: { actions: ['credit', 'answer'] },
        pay: [{ guard: 'covers', actions: ['debit', 'pass'] }, { actions: 'refuse' }],
        endow: { actions: ['debit', 'endow'] },
        receive: [{ guard: 'overflows', actions: 'overflow' }, { actions: ['credit', 'answer'] }],
        bounce: [{ guard: 'isLeft', actions: ['credit', 'bounce'] }, { actions: 'answer' }],
        show: { actions: 'answer' },
      },
    },
  },
});

export const purseKind = testKind({
  name: 'purse',
  machine: purseMachine,
  creates: ['fill'],
});
