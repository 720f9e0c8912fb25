/** A test kind: adds, with one row per addition. A repeated addition is answered from its row, unless sent `once`. */
import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type RowView, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from '../../support/test-kind.ts';

interface Tally {
  readonly total: number;
  readonly count: number;
}

export interface Addition {
  readonly op: string;
  readonly by: number;
  /** How often it was applied. */
  readonly times: number;
  readonly at: number;
}

type TallyEvent = ActorEvent & Stamped;

const known = (event: TallyEvent): Addition | null => {
  const row: RowView | undefined = event.rows.known?.[0];
  return (row?.body as unknown as Addition) ?? null;
};

const tallyMachine = setup({
  types: {} as { context: Tally; events: TallyEvent; input: { address: string } },
  // An addition sent `once` must not have a row yet. If it has one, it is applied again and its row shows that.
  guards: { isRepeated: ({ event }) => event.once !== true && known(event) !== null },
  actions: {
    add: assign({
      total: ({ context, event }) => context.total + Number(event.by),
      count: ({ context }) => context.count + 1,
    }),
    record: emit<Tally, TallyEvent>(({ event }) => ({
      type: 'put',
      collection: 'addition',
      id: String(event.op),
      body: { op: String(event.op), by: Number(event.by), times: (known(event)?.times ?? 0) + 1, at: event.at },
    })),
    answer: emit<Tally, TallyEvent>(({ context }) => ({ type: 'reply', body: { ...context, repeated: false } })),
    answerKnown: emit<Tally, TallyEvent>(({ context }) => ({ type: 'reply', body: { ...context, repeated: true } })),
  },
}).createMachine({
  id: 'tally',
  initial: 'open',
  context: { total: 0, count: 0 },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        'tally.add': [{ guard: 'isRepeated', actions: 'answerKnown' }, { actions: ['add', 'record', 'answer'] }],
        'tally.read': { actions: 'answer' },
      },
    },
  },
});

export const tallyKind = testKind({
  name: 'tally',
  machine: tallyMachine,
  creates: ['tally.add', 'tally.read'],
  collections: { addition: { sort: (body: Addition) => body.at } },
  // Loaded for `once` too: a second application must show in the row.
  rows: (event) =>
    event.type === 'tally.add'
      ? [{ as: 'known', collection: 'addition', id: String(event.op), mayBeStored: true }]
      : [],
});
