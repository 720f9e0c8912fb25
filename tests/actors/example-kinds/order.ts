/** An example to copy: an activity charges an order, or the order lapses. It uses every effect. */
import { assign, setup } from 'xstate';
import { type ActorEvent, type Effect, emit, type Kind, type Stamped } from '../../../actors/runtime/index.ts';

type Event = ActorEvent & Stamped;
type Order = { readonly cents: number; readonly till: string };
const [LAPSE_MS, PAYMENT] = [60_000, 'payment'] as const;
const does = (effects: (order: Order, event: Event) => readonly Effect[]) =>
  emit<Order, Event>(({ context, event }) => effects(context, event));

const machine = setup({
  types: {} as { context: Order; events: Event },
  guards: { isFree: ({ event }) => !(Number(event.cents) > 0) },
  actions: {
    refuse: does(() => [{ type: 'refuse', body: 'an order costs at least one cent' }]),
    take: assign({ cents: ({ event }) => Number(event.cents), till: ({ event }) => String(event.till) }),
    // The charge starts once this step is durable; if its node dies, another node repeats it with the same key.
    open: does(({ cents }, { at, self }) => [
      { type: 'put', collection: 'lines', id: '1', body: { cents, at } },
      { type: 'perform', name: 'charge', id: PAYMENT, input: { cents }, deadlineAt: at + LAPSE_MS },
      { type: 'schedule', name: 'lapse', at: at + LAPSE_MS, event: { type: 'order.lapse' } },
      { type: 'publish', topic: 'orders', key: self, value: 'open' },
      { type: 'reply', body: { cents } },
    ]),
    paid: does(({ cents, till }, { self }) => [
      { type: 'send', to: till, event: { type: 'add', by: cents } },
      { type: 'cancel', name: 'lapse' },
      { type: 'publish', topic: 'orders', key: self, value: 'paid' },
    ]),
    lapsed: does((_, { self }) => [
      { type: 'cancel', perform: PAYMENT },
      { type: 'remove', collection: 'lines', id: '1' },
      { type: 'publish', topic: 'orders', key: self, value: null },
      { type: 'stop' },
    ]),
  },
}).createMachine({
  context: { cents: 0, till: '' },
  options: { maxIterations: 10 },
  initial: 'open',
  states: {
    open: {
      on: {
        'order.place': [{ guard: 'isFree', actions: 'refuse' }, { actions: ['take', 'open'] }],
        'charge.done': { target: 'paid', actions: 'paid' },
        'charge.failed': { actions: 'lapsed' },
        'charge.attempt': {}, // its runner died: the bank recognises the next attempt by its key
        'order.lapse': { actions: 'lapsed' },
      },
    },
    paid: { on: { 'order.lapse': {} } }, // ignored; an event without a transition would be a dead letter
  },
});

export const orderKind: Kind = {
  ...{ name: 'order', machine, version: 1, creates: ['order.place'], finishes: ['order.lapse'], volatile: [] },
  ...{ activities: ['charge'], collections: { lines: { sort: (line: { readonly at: number }) => line.at } } },
  explain: ({ state }) => [state === 'open' ? 'The order waits for its payment.' : 'The order is paid.'],
  redact: (context) => context,
};
