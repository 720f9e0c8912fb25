/**
 * A diary proves what a history promises: its context changes in every way that JSON can, some steps read rows, some are
 * volatile, and each answers with the whole state that it leaves.
 */
import { assign, setup } from 'xstate';
import type { ActorEvent, Effect, Json, Stamped } from '../../../../../actors/runtime/index.ts';
import { emit } from '../../../../../actors/runtime/index.ts';
import { testKind } from '../../../example-kinds/test-kind.ts';

interface Diary {
  readonly secret: string;
  readonly pages: Readonly<Record<string, Json>>;
  readonly list: readonly Json[];
  readonly count: number;
  readonly seen: number;
}

type Event = ActorEvent & Stamped;
const does = (effects: (diary: Diary, event: Event) => readonly Effect[]) =>
  emit<Diary, Event>(({ context, event }) => effects(context, event));

/** `wrong`: the chart of a build with a mistake. It counts every seventh page twice. */
const machineOf = (wrong: boolean) =>
  setup({
    types: {} as { context: Diary; events: Event },
    actions: {
      page: assign({
        pages: ({ context, event }) => ({ ...context.pages, [String(event.name)]: event.body ?? null }),
        count: ({ context }) => context.count + (wrong && context.count % 7 === 6 ? 2 : 1),
      }),
      tear: assign({
        pages: ({ context, event }) =>
          Object.fromEntries(Object.entries(context.pages).filter(([name]) => name !== event.name)),
      }),
      append: assign({ list: ({ context, event }) => [...context.list, event.body ?? null] }),
      shift: assign({ list: ({ context }) => context.list.slice(1) }),
      edit: assign({
        list: ({ context, event }) => context.list.map((item, i) => (i === event.index ? (event.body ?? null) : item)),
      }),
      look: assign({ seen: ({ context }) => context.seen + 1 }),
      lock: assign({ secret: ({ event }) => String(event.secret) }),
      quote: assign({ list: ({ context, event }) => [...context.list, event.rows.line?.[0]?.body ?? null] }),
      put: does((_, { name, body = null }) => [{ type: 'put', collection: 'line', id: String(name), body: { body } }]),
      answer: does((diary) => [{ type: 'reply', body: diary as unknown as Json }]),
      end: does((diary) => [{ type: 'reply', body: diary as unknown as Json }, { type: 'stop' }]),
    },
  }).createMachine({
    context: { secret: '', pages: {}, list: [], count: 0, seen: 0 },
    options: { maxIterations: 10 },
    initial: 'day',
    states: {
      day: { on: { 'diary.turn': { target: 'night', actions: 'answer' } } },
      night: { on: { 'diary.turn': { target: 'day', actions: 'answer' } } },
    },
    on: {
      'diary.page': { actions: ['page', 'put', 'answer'] },
      'diary.tear': { actions: ['tear', 'answer'] },
      'diary.append': { actions: ['append', 'answer'] },
      'diary.shift': { actions: ['shift', 'answer'] },
      'diary.edit': { actions: ['edit', 'answer'] },
      'diary.quote': { actions: ['quote', 'answer'] },
      'diary.look': { actions: ['look', 'answer'] },
      'diary.lock': { actions: ['lock', 'answer'] },
      'diary.end': { actions: 'end' },
    },
  });

const diaryOf = (wrong: boolean) =>
  testKind({
    name: 'diary',
    machine: machineOf(wrong),
    creates: ['diary.page', 'diary.append'],
    volatile: ['diary.look'],
    collections: { line: { sort: () => 0 } },
    rows: ({ type, name }) =>
      type === 'diary.quote' ? [{ as: 'line', collection: 'line', id: String(name), mayBeStored: true }] : [],
    history: { always: true, days: 1, stepsMax: 200_000 },
    redact: (context) => ({ ...(context as unknown as Record<string, Json>), secret: '[redacted]' }),
  });

export const diaryKind = diaryOf(false);
export const wrongDiaryKind = diaryOf(true);
