/**
 * A test kind: bills, each recorded as paid in the step that takes the payment from the purse of its shard. They arrive as
 * asks, timers, activity results and messages of other shards. A bill with `copes` is recorded as failed when the payment is
 * refused; other refused bills, and inputs received while the biller is closed, become dead letters.
 */
import { assign, setup } from 'xstate';
import {
  type ActorEvent,
  type Effect,
  emit,
  type Json,
  type RowRef,
  type Stamped,
} from '../../../actors/runtime/index.ts';
import { testKind } from '../../actors/example-kinds/test-kind.ts';

interface Biller {
  readonly booked: number;
}

export interface Bill {
  readonly bill: string;
  readonly state: 'waiting' | 'paid' | 'failed';
  /** How often it ended. */
  readonly times: number;
}

type BillerEvent = ActorEvent & Stamped;

const WORK_MS = 20_000;

/** The bill's members; an activity returns them as its result. */
const termsOf = (event: ActorEvent): Record<string, Json> =>
  (event.type.startsWith('work.done') ? event.result : event) as unknown as Record<string, Json>;
const billOf = (event: ActorEvent): string => String(event.id ?? termsOf(event).bill);

const put = (event: BillerEvent, state: Bill['state']): Effect => {
  const known = event.rows.bill?.[0]?.body as unknown as Bill | undefined;
  const times = (known?.times ?? 0) + (state === 'waiting' ? 0 : 1);
  const body = { bill: billOf(event), state, times };
  return { type: 'put', collection: 'bill', id: body.bill, body };
};
const take = (event: BillerEvent): Effect => {
  const bill = billOf(event);
  const to = event.self.replace('biller:', 'purse:');
  return { type: 'send', to, event: { type: 'take', id: bill, amount: Number(termsOf(event).amount) } };
};
const BEGUN: Effect = { type: 'reply', body: { begun: true } };
const does = (effects: (event: BillerEvent) => readonly Effect[]) =>
  emit<Biller, BillerEvent>(({ event }) => effects(event));

const SETTLE = { actions: ['count', 'settle'] } as const;
const REFUSED = { guard: 'copes', actions: ['count', 'fail'] } as const;

const billerMachine = setup({
  types: {} as { context: Biller; events: BillerEvent },
  guards: { copes: ({ event }) => termsOf(event).copes === true },
  actions: {
    count: assign({ booked: ({ context }) => context.booked + 1 }),
    settle: does((event) => [put(event, 'paid'), take(event)]),
    fail: does((event) => [put(event, 'failed')]),
    later: does((event) => {
      const { bill, amount, copes } = event as unknown as { bill: string; amount: number; copes: boolean };
      const due = { type: 'bill.due', bill, amount, copes };
      return [
        put(event, 'waiting'),
        { type: 'schedule', name: bill, at: event.at + Number(event.inMs), event: due },
        BEGUN,
      ];
    }),
    work: does((event) => {
      const { bill: id, amount, copes } = event as unknown as { bill: string; amount: number; copes: boolean };
      const input = { bill: id, amount, copes };
      return [
        put(event, 'waiting'),
        { type: 'perform', name: 'work', id, input, deadlineAt: event.at + WORK_MS },
        BEGUN,
      ];
    }),
    send: does((event) => {
      const { to, bill, amount, copes } = event as unknown as Record<string, Json>;
      const arriving = { type: 'bill.arrive', bill: bill ?? null, amount: amount ?? null, copes: copes ?? null };
      return [{ type: 'send', to: String(to), event: arriving }, BEGUN];
    }),
    answer: does(() => [{ type: 'reply', body: null }]),
  },
}).createMachine({
  id: 'biller',
  initial: 'open',
  context: { booked: 0 },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        'bill.pay': SETTLE,
        'bill.later': { actions: 'later' },
        'bill.work': { actions: 'work' },
        'bill.send': { actions: 'send' },
        'bill.due': SETTLE,
        'bill.due.refused': REFUSED,
        'bill.arrive': SETTLE,
        'bill.arrive.refused': REFUSED,
        'work.done': SETTLE,
        'work.done.refused': REFUSED,
        'work.failed': { actions: ['count', 'fail'] },
        'biller.close': { target: 'closed', actions: 'answer' },
      },
    },
    closed: {},
  },
  on: { 'biller.open': { target: '.open', actions: 'answer' }, 'work.attempt': {} },
});

export const billerKind = testKind({
  name: 'biller',
  machine: billerMachine,
  creates: ['biller.open'],
  activities: ['work'],
  collections: { bill: { sort: () => 0 } },
  rows: (event): readonly RowRef[] =>
    event.type.startsWith('biller.') || event.type === 'work.attempt'
      ? []
      : [{ as: 'bill', collection: 'bill', id: billOf(event), mayBeStored: true }],
});
