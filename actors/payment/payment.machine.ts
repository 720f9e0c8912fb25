/**
 * The chart of one x402 payment, whose address is its external name. Its row is `pending` before the facilitator is asked
 * to settle, and an unknown outcome is asked again by the payment's nonce until it is known or an operator resolves it. It
 * credits its account through the transaction that settled it, and never asks for a second signature.
 */
import { setup } from 'xstate';
import type { Stamped } from '../runtime/index.ts';
import * as credit from './credit.ts';
import * as payment from './payment-state.ts';
import * as settlement from './settlement.ts';

type PaymentEvent =
  | settlement.SettlementEvent
  | credit.CreditEvent
  | (Stamped & { readonly type: 'payment.show' })
  /** Timer: a failed payment is no longer shown. */
  | (Stamped & { readonly type: 'payment.forget' });

const chart = setup({
  types: {} as { context: payment.PaymentState; events: PaymentEvent; input: { address: string } },
  guards: { ...payment.guards, ...settlement.guards, ...credit.guards },
  actions: { ...payment.actions, ...settlement.actions, ...credit.actions },
});

/** Writes the row of the payment, and answers with it. */
const put = (status: payment.PaymentStatus) => ({ type: 'put', params: { status } }) as const;
const answer = (status: payment.PaymentStatus) => ({ type: 'answer', params: { status } }) as const;
const leaveToOperator = (reason: settlement.Unclear['reason']) =>
  ({ type: 'leaveToOperator', params: { reason } }) as const;

/** A payment that was presented before: its own account reads its status. */
const presentedAgain = (status: payment.PaymentStatus) =>
  [{ guard: 'isOwn', actions: answer(status) }, { actions: 'refuseUsed' }] as const;
const inStatus = (status: payment.PaymentStatus) =>
  ({ 'payment.pay': presentedAgain(status), 'payment.show': { actions: answer(status) } }) as const;

export const paymentMachine = chart.createMachine({
  id: 'payment',
  initial: 'asking',
  context: ({ input }) => payment.emptyPayment(input.address),
  options: { maxIterations: 1000 },
  states: {
    asking: {
      on: {
        'payment.pay': [
          { guard: 'isNew', actions: ['present', 'settle', put('pending'), answer('pending')] },
          ...presentedAgain('pending'),
        ],
        'payment.show': { actions: answer('pending') },
        'settle.done': [
          { guard: 'isSettled', target: 'crediting', actions: ['keepTransaction', 'claim', put('pending')] },
          { target: 'failed', actions: ['failRefused', put('failed'), 'scheduleForget'] },
        ],
        'settle.failed': [
          { guard: 'mayAskAgain', target: 'waiting', actions: ['awaitAskAgain', 'scheduleAskAgain'] },
          { guard: 'isUnasked', target: 'failed', actions: ['failUnreachable', put('failed'), 'scheduleForget'] },
          { target: 'review', actions: [leaveToOperator('unknown_outcome'), put('review')] },
        ],
      },
    },
    waiting: {
      on: { ...inStatus('pending'), 'payment.ask-again': { target: 'asking', actions: ['countAsk', 'settleAgain'] } },
    },
    crediting: {
      on: {
        ...inStatus('pending'),
        'payment.credited': { target: 'credited', actions: ['credit', put('credited')] },
        'transaction.taken': { target: 'review', actions: [leaveToOperator('transaction_used'), put('review')] },
      },
    },
    credited: {
      on: {
        ...inStatus('credited'),
      },
    },
    failed: {
      on: {
        'payment.pay': [
          {
            guard: 'mayPresent',
            target: 'asking',
            actions: ['present', 'cancelForget', 'settle', put('pending'), answer('pending')],
          },
          { actions: 'refuseUsed' },
        ],
        'payment.show': { actions: answer('failed') },
        'payment.forget': { actions: 'forget' },
      },
    },
    review: {
      on: {
        ...inStatus('review'),
        'payment.resolve': [
          {
            guard: 'isFound',
            target: 'crediting',
            actions: ['keepFound', 'recordResolve', 'claim', put('pending'), answer('pending')],
          },
          {
            target: 'failed',
            actions: ['failUnpaid', 'recordResolve', put('failed'), 'scheduleForget', answer('failed')],
          },
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
