/**
 * A purse proves that money moves once: within one commit, by a message across shards, and not at all if a step refuses.
 * A movement that carries an id has a row, which counts how often it was applied.
 */
import { assign, setup } from 'xstate';
import { type ActorEvent, type Effect, emit, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from './test-kind.ts';

interface Purse {
  readonly amount: number;
  /** Transfers sent to other shards: each carries its number. */
  readonly sent: number;
  readonly received: number;
}

/** A movement as stored by the purse it changed. */
export interface Movement {
  readonly id: string;
  readonly amount: number;
  /** How often it was applied, and its position among all receipts of the purse. */
  readonly times: number;
  readonly order: number;
  /** The sender of a transfer and its number there. */
  readonly from: string | null;
  readonly number: number | null;
}

type Event = ActorEvent & Stamped;

const AMOUNT_MAX = 1_000_000;
const amountIn = (event: Event): number => Number(event.amount ?? 0);
const known = (event: Event): Movement | null => (event.rows.known?.[0]?.body as unknown as Movement) ?? null;
/** A movement sent `once` must not have a row yet: if it has one, it is applied again, and its row shows that. */
const isRepeated = (event: Event): boolean => event.once !== true && known(event) !== null;
const send = (event: Event, more: ActorEvent): Effect => ({ type: 'send', to: String(event.to), event: more });
const does = (effects: (event: Event, purse: Purse) => readonly Effect[]) =>
  emit<Purse, Event>(({ event, context }) => effects(event, context));

export const purseMachine = setup({
  types: {} as { context: Purse; events: Event },
  guards: {
    covers: ({ context, event }) => context.amount >= amountIn(event),
    overflows: ({ context, event }) => context.amount + amountIn(event) > AMOUNT_MAX,
    isLeft: ({ event }) => Number(event.left ?? 0) > 0,
    isRepeated: ({ event }) => isRepeated(event),
  },
  actions: {
    credit: assign({
      amount: ({ context, event }) => context.amount + amountIn(event),
      received: ({ context }) => context.received + 1,
    }),
    debit: assign({ amount: ({ context, event }) => context.amount - amountIn(event) }),
    number: assign({ sent: ({ context }) => context.sent + 1 }),
    overflow: assign(() => {
      throw new Error('the purse overflows');
    }),
    record: does((event, { received: order }) => {
      if (event.id === undefined) return [];
      const { id, from = null, number = null } = event as unknown as Movement;
      const body = { id, amount: amountIn(event), times: (known(event)?.times ?? 0) + 1, order, from, number };
      return [{ type: 'put', collection: 'movement', id, body }];
    }),
    pass: does((event) => [send(event, { type: 'receive', amount: amountIn(event) })]),
    endow: does((event) => [send(event, { type: 'fill', amount: amountIn(event) })]),
    transfer: does((event, { sent: number }) => [
      send(event, { type: 'receive', amount: amountIn(event), id: event.id ?? null, from: event.self, number }),
    ]),
    bounce: does((event) => [send(event, { type: 'bounce', to: event.self, left: Number(event.left ?? 0) - 1 })]),
    answer: does((_, { amount }) => [{ type: 'reply', body: amount }]),
    answerAll: does((event, purse) => [{ type: 'reply', body: { ...purse, repeated: isRepeated(event) } }]),
    decline: does(() => [{ type: 'reply', body: 'short' }]),
    refuse: does((_, { amount }) => [{ type: 'refuse', body: { short: amount } }]),
  },
}).createMachine({
  id: 'purse',
  initial: 'open',
  context: { amount: 0, sent: 0, received: 0 },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        // To a purse of its shard, which answers: both change in one commit, or none.
        pay: [{ guard: 'covers', actions: ['debit', 'pass'] }, { actions: 'decline' }],
        endow: { actions: ['debit', 'endow'] },
        // To a purse of any shard: the message leaves after the commit.
        transfer: [{ guard: 'covers', actions: ['debit', 'number', 'transfer', 'answer'] }, { actions: 'decline' }],
        receive: [{ guard: 'overflows', actions: 'overflow' }, { actions: ['credit', 'record', 'answer'] }],
        bounce: [{ guard: 'isLeft', actions: ['credit', 'bounce'] }, { actions: 'answer' }],
        take: [{ guard: 'covers', actions: ['debit', 'record', 'answer'] }, { actions: 'refuse' }],
        // Wrong on purpose: a step that refuses must not change state or reply.
        sloppy: { actions: ['debit', 'refuse'] },
        both: { actions: ['answer', 'refuse'] },
        close: { target: 'closed', actions: 'answer' },
      },
    },
    closed: {},
  },
  on: {
    fill: { actions: ['credit', 'answer'] },
    // As `fill`, but a repetition is answered and changes nothing.
    deposit: [{ guard: 'isRepeated', actions: 'answerAll' }, { actions: ['credit', 'record', 'answerAll'] }],
    show: { actions: 'answer' },
    open: { target: '.open', actions: 'answer' },
  },
});

export const purseKind = testKind({
  name: 'purse',
  machine: purseMachine,
  creates: ['fill', 'deposit'],
  finishes: ['take'],
  volatile: ['show'],
  collections: { movement: { sort: ({ order }: Movement) => order } },
  rows: ({ id }) =>
    id === undefined ? [] : [{ as: 'known', collection: 'movement', id: String(id), mayBeStored: true }],
});
