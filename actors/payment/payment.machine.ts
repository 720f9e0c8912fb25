/**
 * The chart of one x402 payment, whose address is its external name. Its row is `pending` before the facilitator is asked
 * to settle, and an unknown outcome is asked again by the payment's nonce until it is known or an operator resolves it. It
 * credits its account through the transaction that settled it, and never asks for a second signature.
 */
import { assign, setup } from 'xstate';
import { emit } from '../runtime/index.ts';
import { only } from '../terms/chart-tools.ts';
import type { PaymentEvent } from './events.ts';
import * as effects from './payment-effects.ts';
import type { PaymentStatus } from './payment-record.ts';
import * as states from './payment-state.ts';

type State = states.PaymentState;

const UNKNOWN = 'unknown_outcome';
const TAKEN = 'transaction_used';

function put(status: PaymentStatus) {
  return emit<State, PaymentEvent>(({ context }) => effects.put(context, status));
}

function answer(status: PaymentStatus) {
  return emit<State, PaymentEvent>(({ context }) => effects.answer(context, status));
}

const chart = setup({
  types: {} as { context: State; events: PaymentEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.payment === null,
    isOwn: ({ context, event }) => states.isOwn(context, only(event, 'payment.pay').payment),
    mayPresent: ({ context, event }) => states.mayPresent(context, only(event, 'payment.pay')),
    isSettled: ({ event }) => only(event, 'settle.done').result.outcome === 'settled',
    mayAskAgain: ({ context, event }) =>
      only(event, 'settle.failed').failure.retriable && event.at < effects.unclearAt(context),
    isUnasked: ({ event }) => effects.isUnasked(only(event, 'settle.failed')),
    isFound: ({ event }) => only(event, 'payment.resolve').transaction !== null,
  },
  actions: {
    present: assign(({ context, event }) => states.presented(context, only(event, 'payment.pay'))),
    settle: emit<State, PaymentEvent>(({ context }) => effects.settle(context)),
    settleAgain: emit<State, PaymentEvent>(({ context, event }) =>
      effects.settleAgain(context, only(event, 'payment.ask-again')),
    ),
    keepTransaction: assign(({ context, event }) => {
      const { result } = only(event, 'settle.done');
      if (result.outcome !== 'settled') throw new Error('a refused payment has no transaction');
      return states.settled(context, result.transaction);
    }),
    keepFound: assign(({ context, event }) =>
      states.settled(context, only(event, 'payment.resolve').transaction as string),
    ),
    claim: emit<State, PaymentEvent>(({ context }) => effects.claim(context)),
    fail: assign(({ context, event }) => states.refused(context, only(event, 'settle.done').result, event.at)),
    failUnasked: assign(({ context, event }) => states.unasked(context, event.at)),
    failUnpaid: assign(({ context, event }) => states.resolvedUnpaid(context, only(event, 'payment.resolve'))),
    wait: assign(({ context, event }) => states.waiting(context, effects.askAgainAt(context, event.at))),
    scheduleAskAgain: emit<State, PaymentEvent>(({ context, event }) =>
      effects.scheduleAskAgain(context, only(event, 'settle.failed')),
    ),
    ask: assign(({ context }) => states.asking(context)),
    leaveUnknown: assign(({ context }) => states.unclear(context, UNKNOWN)),
    leaveTaken: assign(({ context }) => states.unclear(context, TAKEN)),
    credit: assign(({ context, event }) => states.credited(context, only(event, 'payment.credited'))),
    recordResolve: emit<State, PaymentEvent>(({ context, event }) =>
      effects.recordResolve(context, only(event, 'payment.resolve')),
    ),
    refuseUsed: emit(() => effects.refuseUsed()),
    refuseResolve: emit(() => effects.refuseResolve()),
    scheduleForget: emit<State, PaymentEvent>(({ event }) => effects.scheduleForget(event.at)),
    cancelForget: emit(() => effects.cancelForget()),
    forget: emit<State, PaymentEvent>(({ context }) => effects.forget(context)),
    putPending: put('pending'),
    putCredited: put('credited'),
    putFailed: put('failed'),
    putReview: put('review'),
    answerPending: answer('pending'),
    answerCredited: answer('credited'),
    answerFailed: answer('failed'),
    answerReview: answer('review'),
  },
});

const ANSWER_PENDING = {
  'payment.pay': [{ guard: 'isOwn' as const, actions: 'answerPending' as const }, { actions: 'refuseUsed' as const }],
  'payment.show': { actions: 'answerPending' as const },
};

export const paymentMachine = chart.createMachine({
  id: 'payment',
  initial: 'asking',
  context: ({ input }) => states.emptyPayment(input.address),
  options: { maxIterations: 1000 },
  states: {
    asking: {
      on: {
        'payment.pay': [
          { guard: 'isNew', actions: ['present', 'settle', 'putPending', 'answerPending'] },
          ...ANSWER_PENDING['payment.pay'],
        ],
        'payment.show': ANSWER_PENDING['payment.show'],
        'settle.done': [
          { guard: 'isSettled', target: 'crediting', actions: ['keepTransaction', 'claim', 'putPending'] },
          { target: 'failed', actions: ['fail', 'putFailed', 'scheduleForget'] },
        ],
        'settle.failed': [
          { guard: 'mayAskAgain', target: 'waiting', actions: ['wait', 'scheduleAskAgain'] },
          { guard: 'isUnasked', target: 'failed', actions: ['failUnasked', 'putFailed', 'scheduleForget'] },
          { target: 'review', actions: ['leaveUnknown', 'putReview'] },
        ],
      },
    },
    waiting: {
      on: { ...ANSWER_PENDING, 'payment.ask-again': { target: 'asking', actions: ['ask', 'settleAgain'] } },
    },
    crediting: {
      on: {
        ...ANSWER_PENDING,
        'payment.credited': { target: 'credited', actions: ['credit', 'putCredited'] },
        'transaction.taken': { target: 'review', actions: ['leaveTaken', 'putReview'] },
      },
    },
    credited: {
      on: {
        'payment.pay': [{ guard: 'isOwn', actions: 'answerCredited' }, { actions: 'refuseUsed' }],
        'payment.show': { actions: 'answerCredited' },
      },
    },
    failed: {
      on: {
        'payment.pay': [
          {
            guard: 'mayPresent',
            target: 'asking',
            actions: ['present', 'cancelForget', 'settle', 'putPending', 'answerPending'],
          },
          { actions: 'refuseUsed' },
        ],
        'payment.show': { actions: 'answerFailed' },
        'payment.forget': { actions: 'forget' },
      },
    },
    review: {
      on: {
        'payment.pay': [{ guard: 'isOwn', actions: 'answerReview' }, { actions: 'refuseUsed' }],
        'payment.show': { actions: 'answerReview' },
        'payment.resolve': [
          {
            guard: 'isFound',
            target: 'crediting',
            actions: ['keepFound', 'recordResolve', 'claim', 'putPending', 'answerPending'],
          },
          { target: 'failed', actions: ['failUnpaid', 'recordResolve', 'putFailed', 'scheduleForget', 'answerFailed'] },
        ],
      },
    },
  },
  on: {
    'payment.resolve': { actions: 'refuseResolve' },
    'settle.done': {},
    'settle.failed': {},
    'settle.attempt': {},
    'payment.ask-again': {},
    'payment.credited': {},
    'transaction.taken': {},
    'payment.forget': {},
  },
});
