/**
 * A test kind that books bills and sends each payment to a purse of its shard, in one commit. A bill arrives as an ask,
 * a timer, a result or a message of another shard. Its mood decides how it handles a refused payment.
 */
import { assign, setup } from 'xstate';
import { type ActorEvent, type Effect, emit, type Json, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from './test-kind.ts';

interface Clerk {
  readonly booked: number;
  /** `copes` records a failed bill, `helpless` handles no refusal, `stubborn` asks the purse again, `broken` throws. */
  readonly mood: 'copes' | 'helpless' | 'stubborn' | 'broken';
  /** The `.refused` events received. */
  readonly told: readonly string[];
}

interface Bill {
  readonly id: string;
  readonly state: 'paid' | 'failed';
}

type ClerkEvent = ActorEvent & Stamped;

/** The bill is the result of the activity, or the event itself. */
const billIn = (event: ClerkEvent): Record<string, Json> => (event.result ?? event) as unknown as Record<string, Json>;
const put = (event: ClerkEvent, state: Bill['state']): Effect => {
  const id = String(billIn(event).bill);
  return { type: 'put', collection: 'bill', id, body: { id, state } };
};
const take = (event: ClerkEvent): Effect => {
  const { purse, amount } = billIn(event);
  return { type: 'send', to: String(purse), event: { type: 'take', amount: amount ?? 0 } };
};
const does = (effects: (event: ClerkEvent, clerk: Clerk) => readonly Effect[]) =>
  emit<Clerk, ClerkEvent>(({ event, context }) => effects(event, context));

const BOOKED = { actions: ['book', 'pay'] } as const;
const REFUSED = [
  { guard: { type: 'is', params: { mood: 'copes' } }, actions: ['record', 'fail'] },
  { guard: { type: 'is', params: { mood: 'stubborn' } }, actions: ['record', 'insist'] },
  { guard: { type: 'is', params: { mood: 'broken' } }, actions: 'throw' },
] as const;

const machine = setup({
  types: {} as { context: Clerk; events: ClerkEvent },
  guards: { is: ({ context }, params: { readonly mood: string }) => context.mood === params.mood, never: () => false },
  actions: {
    book: assign({ booked: ({ context }) => context.booked + 1 }),
    change: assign({ mood: ({ event }) => event.mood as Clerk['mood'] }),
    record: assign({ told: ({ context, event }) => [...context.told, JSON.stringify({ ...event, at: 0, rows: 0 })] }),
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
    remind: does((event) => [
      { type: 'schedule', name: 'later', at: event.at + 1, event: event.message as unknown as ActorEvent },
      { type: 'reply', body: 'reminded' },
    ]),
    work: does((event) => [
      { type: 'perform', name: 'work', id: String(event.id), input: null, deadlineAt: event.at + 60_000 },
      { type: 'reply', body: 'begun' },
    ]),
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
        'work.failed': {},
        'work.attempt': {},
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
  on: { open: { actions: 'answer' } },
});

export const clerkKind = testKind({
  name: 'clerk',
  machine,
  creates: ['open'],
  activities: ['work'],
  resident: true,
  collections: { bill: { sort: () => 0, index: [() => 'gone'], open: (bill: Bill) => bill.state === 'paid' } },
  leaseRows: { collection: 'bill', column: 0, event: 'node.lost' },
  explain: ({ state }) => [`It is ${state}.`],
});
