import { assign } from 'xstate';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { grantSlots, type QueueEvent } from '../../../actors/account/queue.ts';
import { batchKind } from '../../../actors/batch/batch.ts';
import type { BatchState } from '../../../actors/batch/batch-state.ts';
import { type LineRecord, lineCollection } from '../../../actors/batch/line-record.ts';
import { indexOf, LINE_END, type LineEnd, recordOutcome, without } from '../../../actors/batch/lines.ts';
import type { ResultsDone } from '../../../actors/batch/results.ts';
import { endBatch } from '../../../actors/batch/results.ts';
import { answerBatch, putBatch } from '../../../actors/batch/status.ts';
import { assignOn, type Effect, emitOn, type Kind } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';
import { batchWith } from './batch-with.ts';

function outcomeWith(change: (effects: readonly Effect[]) => readonly Effect[]): NonNullable<Mutation['kinds']> {
  return batchWith({
    actions: {
      recordOutcome: emitOn(LINE_END, (state: BatchState, event: LineEnd) => change(recordOutcome(state, event))),
    },
  });
}

function sorted(sort: (row: LineRecord) => number): (sound: readonly Kind[]) => readonly Kind[] {
  const collections = { ...batchKind.collections, line: { ...lineCollection, sort } };
  return (sound) => sound.map((kind) => (kind.name === 'batch' ? { ...kind, collections } : kind));
}

/** Deliberate bugs of batches and their queue. */
export const BATCH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'charge of a line recorded without its outcome',
    caughtBy: 61,
    kinds: outcomeWith((effects) => effects.filter(({ type }) => type !== 'put')),
  },
  {
    name: 'line charged beside the cost it shows',
    caughtBy: 1,
    isLong: true,
    kinds: outcomeWith((effects) =>
      effects.map((effect) => {
        if (effect.type !== 'send' || effect.event.type !== 'hold.settle') return effect;
        const settlement = { ...(effect.event.settlement as object), cost: '0.000001' };
        return { ...effect, event: { ...effect.event, settlement } };
      }),
    ),
  },
  {
    name: 'outcome of a line not counted',
    caughtBy: 61,
    kinds: batchWith({
      actions: { endLine: assignOn(LINE_END, (state: BatchState, event: LineEnd) => without(state, indexOf(event))) },
    }),
  },
  { name: 'result lines in another order', caughtBy: 61, kinds: sorted(({ index }) => -index) },
  {
    name: 'slots granted twice',
    caughtBy: 46,
    isLong: true,
    kinds: accountWith({
      actions: {
        grantSlots: emitOn(['queue.join', 'slot.update', 'queue.leave'], (account: AccountState, event: QueueEvent) =>
          grantSlots(account, event).map((effect) =>
            effect.type === 'send' && effect.event.type === 'slot.grant'
              ? { ...effect, event: { ...effect.event, count: 2 * Number(effect.event.count) } }
              : effect,
          ),
        ),
      },
    }),
  },
  {
    name: 'cancelled batch loses its counts',
    caughtBy: 7,
    isLong: true,
    kinds: batchWith({
      actions: {
        put: emitOn('*', (state: BatchState, event, shown: Parameters<typeof putBatch>[2]) =>
          putBatch(shown.status === 'cancelling' ? { ...state, completed: 0 } : state, event, shown),
        ),
      },
    }),
  },
  {
    name: 'cancel of an ended batch accepted',
    caughtBy: 1,
    isLong: true,
    kinds: batchWith({
      actions: {
        refuseCancel: emitOn('*', (state: BatchState, event) => answerBatch(state, event, { status: 'cancelled' })),
      },
    }),
  },
  {
    name: 'cancelled batch sends on',
    caughtBy: 49,
    kinds: batchWith({ actions: { cutAll: assign({}), dropAll: assign({}) } }),
  },
  {
    name: 'batch forgotten at its end',
    caughtBy: 61,
    kinds: batchWith({
      actions: {
        endBatch: emitOn('results.done', (state: BatchState, event: ResultsDone) =>
          endBatch(state, event).map((effect) =>
            effect.type === 'schedule' ? { ...effect, at: event.at + 1 } : effect,
          ),
        ),
      },
    }),
  },
  {
    name: 'window of a batch closed without stopping it',
    caughtBy: 1,
    isLong: true,
    kinds: batchWith({ actions: { dropWaiting: assign({}) } }),
  },
];
