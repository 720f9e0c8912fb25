/**
 * A clerk proves what a refused or unhandled input leaves behind: it books a bill in the step that takes the payment from
 * a purse of its shard. A bill arrives as an ask, a timer, a result or a message; the clerk's mood, or the bill, decides how
 * a refused payment is handled. While it is away it handles no bill.
 */
import { assign, setup } from 'xstate';
import { type ActorEvent, type Effect, emit, type Json, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from './test-kind.ts';

interface Clerk {
  readonly booked: number;
  /** `copes` records a failed bill, `helpless` handles no refusal, `stubborn` asks the purse again, `broken` throws. */
  readonly mood: 'copes' | 'helpless' | 'stubborn' | 'broken';
  /** The latest `.refused` events received. */
  readonly told: readonly string[];
}

export interface Bill {
  readonly id: string;
  readonly state: 'waiting' | 'paid' | 'failed';
  /** How often it ended. */
  readonly times: number;
}

type ClerkEvent = ActorEvent & Stamped;

const TOLD_MAX = 20;
const WORK_MS = 60_000;

/** The members of the bill: the result of the activity, or the event itself. */
const termsOf = (event: ActorEvent): Record<string, Json> => (event.result ?? event) as unknown as Record<string, Json>;
/** A failed activity has the id of its bill. */
const billOf = (event: ActorEvent): Json | undefined =>
  event.type === 'work.failed' ? event.id : (termsOf(event).bill as Json | undefined);

const put = (event: ClerkEvent, state: Bill['state']): Effect => {
  const known = event.rows.bill?.[0]?.body as unknown as Bill | undefined;
  const times = (known?.times ?? 0) + (state === 'waiting' ? 0 : 1);
  const id = String(billOf(event));
  return { type: 'put', collection: 'bill', id, body: { id, state, times } };
};
/** The row of a bill that arrives later; an input that is no bill has none. */
const wait = (event: ClerkEvent): readonly Effect[] => (billOf(event) === undefined ? [] : [put(event, 'waiting')]);
const take = (event: ClerkEvent): Effect => {
  const { purse, amount = 0 } = termsOf(event);
  return { type: 'send', to: String(purse), event: { type: 'take', id: String(billOf(event)), amount } };
};
const does = (effects: (event: ClerkEvent, clerk: Clerk) => readonly Effect[]) =>
  emit<Clerk, ClerkEvent>(({ event, context }) => effects(event, context));

const BOOKED = { actions: ['book', 'pay'] } as const;
const REFUSED = [
  { guard: 'copes', actions: ['record', 'fail'] },
  { guard: { type: 'is', params: { mood: 'stubborn' } }, actions: ['record', 'insist'] },
  { guard: { type: 'is', params: { mood: 'broken' } }, actions: 'throw' },
] as const;

const machine = setup({
  types: {} as { context: Clerk; events: ClerkEvent },
  guards: {
    copes: ({ context, event }) => context.mood === 'copes' || termsOf(event).copes === true,
    is: ({ context }, params: { readonly mood: string }) => context.mood === params.mood,
    never: () => false,
  },
  actions: {
    book: assign({ booked: ({ context }) => context.booked + 1 }),
    change: assign({ mood: ({ event }) => event.mood as Clerk['mood'] }),
    record: assign({
      told: ({ context, event }) => [...context.told, JSON.stringify({ ...event, at: 0, rows: 0 })].slice(-TOLD_MAX),
    }),
    throw: assign(() => {
      throw new Error('it cannot cope');
    }),
    pay: does((event) => [put(event, 'paid'), take(event)]),
    fail: does((event) => [put(event, 'failed')]),
    insist: does((event) => [take(event)]),
    post: does((event) => [
      { type: 'send', to: String(event.to), event: event.message as unknown as ActorEvent },
      { type: 'reply', body: 'posted' },
    ]),
    remind: does((event) => {
      const at = event.at + Number(event.inMs ?? 1);
      const message = event.message as unknown as ActorEvent;
      return [
        ...wait(event),
        { type: 'schedule', name: String(billOf(event) ?? 'later'), at, event: message },
        { type: 'reply', body: 'reminded' },
      ];
    }),
    work: does((event) => {
      const [id, input] = [String(event.id), event.input ?? null];
      const deadlineAt = event.at + Number(event.inMs ?? WORK_MS);
      return [
        ...wait(event),
        { type: 'perform', name: 'work', id, input, deadlineAt },
        { type: 'reply', body: 'begun' },
      ];
    }),
    throws: does(() => {
      throw new Error('a bad notice');
    }),
    answer: does((_, clerk) => [{ type: 'reply', body: clerk as unknown as Json }]),
    decline: does(() => [{ type: 'refuse', body: 'not here' }]),
  },
}).createMachine({
  context: { booked: 0, mood: 'helpless', told: [] },
  options: { maxIterations: 10 },
  initial: 'up',
  states: {
    up: {
      on: {
        mood: { actions: ['change', 'answer'] },
        bill: BOOKED,
        'bill.refused': REFUSED,
        'work.done': BOOKED,
        'work.done.refused': REFUSED,
        'work.failed': { actions: 'fail' },
        post: { actions: 'post' },
        remind: { actions: 'remind' },
        work: { actions: 'work' },
        decline: { actions: 'decline' },
        leave: { target: 'away', actions: 'answer' },
        'actor.activated': {},
      },
    },
    away: {
      on: {
        bill: { guard: 'never', actions: 'book' },
        remark: {},
        'node.lost': { actions: 'throws' },
        back: { target: 'up', actions: 'answer' },
      },
    },
  },
  on: { open: { actions: 'answer' }, 'work.attempt': {} },
});

export const clerkKind = testKind({
  name: 'clerk',
  machine,
  creates: ['open'],
  activities: ['work'],
  collections: { bill: { sort: () => 0, index: [() => 'gone'], open: ({ state }: Bill) => state === 'paid' } },
  rows: (event) => {
    const bill = billOf(event);
    return bill === undefined ? [] : [{ as: 'bill', collection: 'bill', id: String(bill), mayBeStored: true }];
  },
  leaseRows: { collection: 'bill', column: 0, event: 'node.lost' },
  explain: ({ state }) => [`It is ${state}.`],
});
