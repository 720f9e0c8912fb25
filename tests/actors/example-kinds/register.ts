/**
 * A register proves what rows promise: lines by id, open until they are closed, read by id, in order and while uncommitted,
 * and each on behalf of a node whose death closes it.
 */
import { assign, setup } from 'xstate';
import { emit } from '../../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Json, RowView, Stamped } from '../../../actors/runtime/actor/event.ts';
import { testKind } from './test-kind.ts';

interface Written {
  readonly written: number;
}

interface Line {
  readonly id: string;
  readonly amount: number;
  readonly node: string;
  readonly open: boolean;
  readonly at: number;
  /** Its sort, where that is not its time. */
  readonly rank?: number;
}

type RegisterEvent = ActorEvent & Stamped;

const lineIn = (event: RegisterEvent): Line => ({
  id: String(event.id),
  amount: Number(event.amount ?? 0),
  node: String(event.node ?? 'n1'),
  open: event.open !== false,
  at: event.at,
  ...(event.rank === undefined ? {} : { rank: Number(event.rank) }),
});

const json = (value: unknown): Json => value as Json;
const first = (rows: readonly RowView[] | undefined): Line | null => (rows?.[0]?.body as unknown as Line) ?? null;

const registerMachine = setup({
  types: {} as { context: Written; events: RegisterEvent; input: { address: string } },
  guards: { isKnown: ({ event }) => first(event.rows.line) !== null },
  actions: {
    count: assign({ written: ({ context }) => context.written + 1 }),
    put: emit<Written, RegisterEvent>(({ event }) => ({
      type: 'put',
      collection: 'line',
      id: String(event.id),
      body: json(lineIn(event)),
    })),
    close: emit<Written, RegisterEvent>(({ event }) => ({
      type: 'put',
      collection: 'line',
      id: String(event.id),
      body: json({ ...first(event.rows.line), open: false }),
    })),
    remove: emit<Written, RegisterEvent>(({ event }) => ({ type: 'remove', collection: 'line', id: String(event.id) })),
    closeLost: emit<Written, RegisterEvent>(({ event }) =>
      (event.rows.open ?? [])
        .map((row) => row.body as unknown as Line)
        .filter((line) => line.node === event.incarnation)
        .map(
          (line) => ({ type: 'put', collection: 'line', id: line.id, body: json({ ...line, open: false }) }) as const,
        ),
    ),
    answerLine: emit<Written, RegisterEvent>(({ event }) => ({ type: 'reply', body: json(first(event.rows.line)) })),
    answerOpen: emit<Written, RegisterEvent>(({ event }) => ({
      type: 'reply',
      body: (event.rows.open ?? []).map((row) => row.id),
    })),
    answerNext: emit<Written, RegisterEvent>(({ event }) => ({
      type: 'reply',
      body: (event.rows.next ?? []).map((row) => row.id),
    })),
    forward: emit<Written, RegisterEvent>(({ event }) =>
      (event.events as unknown as readonly ActorEvent[]).map(
        (each) => ({ type: 'send', to: event.self, event: each }) as const,
      ),
    ),
    answerWritten: emit<Written, RegisterEvent>(({ context }) => ({ type: 'reply', body: context.written })),
  },
}).createMachine({
  id: 'register',
  initial: 'open',
  context: { written: 0 },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        put: { actions: ['count', 'put', 'answerWritten'] },
        close: [{ guard: 'isKnown', actions: ['count', 'close', 'answerWritten'] }, { actions: 'answerLine' }],
        remove: { actions: ['count', 'remove', 'answerWritten'] },
        line: { actions: 'answerLine' },
        list: { actions: 'answerOpen' },
        next: { actions: 'answerNext' },
        // Several of its own events in one cascade; the last one answers.
        quiet: { actions: ['count', 'put'] },
        shut: { actions: ['count', 'close'] },
        drop: { actions: ['count', 'remove'] },
        all: { actions: 'forward' },
        'node.lost': { actions: ['count', 'closeLost'] },
      },
    },
  },
});

export const LINE_RETENTION_MS = 1_000;
export const NEXT_MAX = 100;

export const registerKind = testKind({
  name: 'register',
  machine: registerMachine,
  creates: ['put'],
  finishes: ['close'],
  collections: {
    line: {
      sort: (body: Line) => body.rank ?? body.at,
      index: [(body: Line) => body.node, (body: Line) => (body.amount > 0 ? 'paid' : null)],
      open: (body: Line) => body.open,
      nextMax: NEXT_MAX,
      retentionMs: LINE_RETENTION_MS,
    },
  },
  rows: (event) => {
    if (event.type === 'line' || event.type === 'close' || event.type === 'shut') {
      return [{ as: 'line', collection: 'line', id: String(event.id), mayBeStored: event.stored !== false }];
    }
    if (event.type === 'next')
      return [{ as: 'next', collection: String(event.of ?? 'line'), next: Number(event.count) }];
    if (event.type === 'list' || event.type === 'node.lost') return [{ as: 'open', collection: 'line', open: true }];
    return [];
  },
  leaseRows: { collection: 'line', column: 0, event: 'node.lost' },
  explain: (view) => [`${view.openRows.line?.length ?? 0} open lines`],
});
