/**
 * The webhook's chart: one event for one receiver, posted until a 2xx is recorded, at most eight times. An attempt that
 * a dead runner may have sent counts, so that a crash adds no ninth. (rule V39)
 */
import { assign, setup } from 'xstate';
import { emit } from '../runtime/index.ts';
import { only } from '../terms/chart-tools.ts';
import type { WebhookEvent } from './events.ts';
import * as effects from './webhook-effects.ts';
import * as states from './webhook-state.ts';

type WebhookState = states.WebhookState;

const chart = setup({
  types: {} as { context: WebhookState; events: WebhookEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.webhook === null,
    isAccepted: ({ event }) => only(event, 'deliver.done').result.outcome === '2xx',
    isLast: ({ context }) => states.isLast(context),
    isUnsent: ({ context, event }) => states.isUnsent(context, only(event, 'deliver.failed')),
    isHopeless: ({ context, event }) => states.isLast(context) || !only(event, 'deliver.failed').failure.retriable,
  },
  actions: {
    create: assign(({ context, event }) => states.created(context, only(event, 'webhook.create'))),
    begin: assign(({ context, event }) => states.begun(context, event.at)),
    deliver: emit<WebhookState, WebhookEvent>(({ context, event }) => effects.deliver(context, event.at)),
    endAttempt: assign(({ context, event }) => states.ended(context, only(event, 'deliver.done').result.outcome)),
    interrupt: assign(({ context }) => states.ended(context, 'interrupted')),
    undo: assign(({ context }) => states.undone(context)),
    wait: assign(({ context, event }) =>
      states.waiting(context, event.at + only(event, 'deliver.done').result.retryInMs),
    ),
    waitUndecided: assign(({ context, event }) => states.waiting(context, states.undecidedUntil(event.at))),
    scheduleRetry: emit<WebhookState, WebhookEvent>(({ context }) => effects.scheduleRetry(context)),
    abandon: emit<WebhookState, WebhookEvent>(({ event }) => effects.abandon(only(event, 'deliver.attempt').id)),
    end: assign(({ context, event }) => states.over(context, event.at)),
    scheduleForget: emit<WebhookState, WebhookEvent>(({ context, event }) => effects.scheduleForget(context, event.at)),
    forget: emit<WebhookState, WebhookEvent>(({ context }) => effects.forget(context)),
    putDelivering: emit<WebhookState, WebhookEvent>(({ context }) => effects.putDelivery(context, 'delivering')),
    putWaiting: emit<WebhookState, WebhookEvent>(({ context }) => effects.putDelivery(context, 'waiting')),
    putDelivered: emit<WebhookState, WebhookEvent>(({ context }) => effects.putDelivery(context, 'delivered')),
    stopWaiting: emit<WebhookState, WebhookEvent>(() => effects.stopWaiting()),
    answer: emit<WebhookState, WebhookEvent>(({ context }) => effects.answerDelivery(context, 'delivering')),
    refuseDelivered: emit<WebhookState, WebhookEvent>(() => effects.refuseRetry('its receiver has accepted it')),
    refuseFailed: emit<WebhookState, WebhookEvent>(() => effects.refuseRetry('its eight attempts are made')),
    putFailed: emit<WebhookState, WebhookEvent>(({ context }) => effects.putDelivery(context, 'failed')),
  },
});

const BEGIN = ['begin', 'deliver', 'putDelivering'] as const;
const WAIT = ['scheduleRetry', 'putWaiting'] as const;
const FAIL = ['end', 'scheduleForget', 'putFailed'] as const;

export const webhookMachine = chart.createMachine({
  id: 'webhook',
  initial: 'delivering',
  context: ({ input }) => states.emptyWebhook(input.address),
  options: { maxIterations: 1000 },
  states: {
    delivering: {
      on: {
        'webhook.hurry': { actions: 'answer' },
        'webhook.create': [{ guard: 'isNew', actions: ['create', ...BEGIN] }, {}],
        'deliver.done': [
          {
            guard: 'isAccepted',
            target: 'delivered',
            actions: ['endAttempt', 'end', 'scheduleForget', 'putDelivered'],
          },
          { guard: 'isLast', target: 'failed', actions: ['endAttempt', ...FAIL] },
          { target: 'waiting', actions: ['endAttempt', 'wait', ...WAIT] },
        ],
        'deliver.failed': [
          { guard: 'isUnsent', target: 'waiting', actions: ['undo', 'waitUndecided', ...WAIT] },
          { guard: 'isHopeless', target: 'failed', actions: ['interrupt', ...FAIL] },
          { target: 'waiting', actions: ['interrupt', 'waitUndecided', ...WAIT] },
        ],
        'deliver.attempt': [
          { guard: 'isLast', target: 'failed', actions: ['abandon', 'interrupt', ...FAIL] },
          { actions: ['interrupt', 'begin', 'putDelivering'] },
        ],
      },
    },
    waiting: {
      on: {
        'webhook.retry': { target: 'delivering', actions: BEGIN },
        'webhook.hurry': { target: 'delivering', actions: ['stopWaiting', ...BEGIN, 'answer'] },
      },
    },
    delivered: { on: { 'webhook.forget': { actions: 'forget' }, 'webhook.hurry': { actions: 'refuseDelivered' } } },
    failed: { on: { 'webhook.forget': { actions: 'forget' }, 'webhook.hurry': { actions: 'refuseFailed' } } },
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
