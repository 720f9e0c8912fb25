/** A test kind: one value that is written, read and swapped, with a count of its changes; published on the board. */
import { assign, setup } from 'xstate';
import { type ActorEvent, emit, type Json, type Stamped } from '../../../actors/runtime/index.ts';
import { testKind } from '../../actors/example-kinds/test-kind.ts';

interface Cell {
  readonly address: string;
  readonly value: string | null;
  /** Changes so far: a value in a reply must be durable when the reply arrives. */
  readonly count: number;
}

type CellEvent = ActorEvent & Stamped;

const show = ({ value, count }: Cell, swapped: boolean | null): Json => ({ value, count, swapped });

const cellMachine = setup({
  types: {} as { context: Cell; events: CellEvent; input: { address: string } },
  guards: { isAsExpected: ({ context, event }) => context.value === event.expect },
  actions: {
    set: assign({ value: ({ event }) => String(event.value), count: ({ context }) => context.count + 1 }),
    answer: emit<Cell, CellEvent>(({ context }) => ({ type: 'reply', body: show(context, null) })),
    answerSwapped: emit<Cell, CellEvent>(({ context }) => ({ type: 'reply', body: show(context, true) })),
    answerKept: emit<Cell, CellEvent>(({ context }) => ({ type: 'reply', body: show(context, false) })),
    publish: emit<Cell, CellEvent>(({ context }) => ({
      type: 'publish',
      topic: 'cells',
      key: context.address,
      value: context.count,
    })),
  },
}).createMachine({
  id: 'cell',
  initial: 'open',
  context: ({ input }) => ({ address: input.address, value: null, count: 0 }),
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        'cell.write': { actions: ['set', 'publish', 'answer'] },
        'cell.read': { actions: 'answer' },
        'cell.swap': [
          { guard: 'isAsExpected', actions: ['set', 'publish', 'answerSwapped'] },
          { actions: 'answerKept' },
        ],
      },
    },
  },
});

export const cellKind = testKind({
  name: 'cell',
  machine: cellMachine,
  creates: ['cell.write', 'cell.read', 'cell.swap'],
});
