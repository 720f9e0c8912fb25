/**
 * The webhook's chart: one event for one receiver, posted until a 2xx is recorded, at most eight times. An attempt that
 * a dead runner may have sent counts, so that a crash adds no ninth. (rule V39)
 */
import { setup } from 'xstate';
import * as delivery from './delivery.ts';
import type { DeliveryStatus } from './delivery-record.ts';

const chart = setup({
  types: {} as { context: delivery.WebhookState; events: delivery.WebhookEvent; input: { address: string } },
  guards: delivery.guards,
  actions: delivery.actions,
});

/** Writes the row of the delivery, and answers with it. */
const put = (status: DeliveryStatus) => ({ type: 'put', params: { status } }) as const;
const answer = (status: DeliveryStatus) => ({ type: 'answer', params: { status } }) as const;
const refuseRetry = (status: delivery.EndedStatus) => ({ type: 'refuseRetry', params: { status } }) as const;

const BEGIN = ['beginAttempt', 'deliver', put('delivering')] as const;
const WAIT = ['scheduleRetry', put('waiting')] as const;
const FAIL = ['end', 'scheduleForget', put('failed')] as const;

export const webhookMachine = chart.createMachine({
  id: 'webhook',
  initial: 'delivering',
  context: ({ input }) => delivery.emptyWebhook(input.address),
  options: { maxIterations: 1000 },
  states: {
    delivering: {
      on: {
        'webhook.hurry': { actions: answer('delivering') },
        'webhook.create': [{ guard: 'isNew', actions: ['create', ...BEGIN] }, {}],
        'deliver.done': [
          {
            guard: 'isAccepted',
            target: 'delivered',
            actions: ['endAttempt', 'end', 'scheduleForget', put('delivered')],
          },
          { guard: 'isLast', target: 'failed', actions: ['endAttempt', ...FAIL] },
          { target: 'waiting', actions: ['endAttempt', 'backOff', ...WAIT] },
        ],
        'deliver.failed': [
          { guard: 'isUnsent', target: 'waiting', actions: ['dropAttempt', 'waitUndecided', ...WAIT] },
          { guard: 'isHopeless', target: 'failed', actions: ['interruptAttempt', ...FAIL] },
          { target: 'waiting', actions: ['interruptAttempt', 'waitUndecided', ...WAIT] },
        ],
        'deliver.attempt': [
          { guard: 'isLast', target: 'failed', actions: ['cancelDelivery', 'interruptAttempt', ...FAIL] },
          { actions: ['interruptAttempt', 'beginAttempt', put('delivering')] },
        ],
      },
    },
    waiting: {
      on: {
        'webhook.retry': { target: 'delivering', actions: BEGIN },
        'webhook.hurry': { target: 'delivering', actions: ['cancelRetry', ...BEGIN, answer('delivering')] },
      },
    },
    delivered: {
      on: { 'webhook.forget': { actions: 'forget' }, 'webhook.hurry': { actions: refuseRetry('delivered') } },
    },
    failed: { on: { 'webhook.forget': { actions: 'forget' }, 'webhook.hurry': { actions: refuseRetry('failed') } } },
  },
  on: {
    'webhook.create': {},
    'webhook.retry': {},
    'webhook.forget': {},
    'deliver.done': {},
    'deliver.failed': {},
    'deliver.attempt': {},
  },
});
