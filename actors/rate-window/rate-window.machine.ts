/**
 * The chart of a rate window: one state, counts by name, all of it volatile. A takeover loses the counts of the current
 * window, which admits more requests and never fewer.
 */
import { assign, setup } from 'xstate';
import { emit } from '../runtime/index.ts';
import { only } from '../terms/chart-tools.ts';
import type { WindowEvent } from './events.ts';
import { answerSlice, answerTaken, fits, returned, sliced, taken } from './share.ts';
import { EMPTY_TABLE, type WindowTable } from './table.ts';

export const rateWindowMachine = setup({
  types: {} as { context: WindowTable; events: WindowEvent; input: { address: string } },
  guards: {
    fits: ({ context, event }) => fits(context, only(event, 'window.take')),
  },
  actions: {
    take: assign(({ context, event }) => taken(context, only(event, 'window.take'))),
    grant: emit<WindowTable, WindowEvent>(({ context, event }) =>
      answerTaken(context, only(event, 'window.take'), true),
    ),
    refuse: emit<WindowTable, WindowEvent>(({ context, event }) =>
      answerTaken(context, only(event, 'window.take'), false),
    ),
    answerSlice: emit<WindowTable, WindowEvent>(({ context, event }) =>
      answerSlice(context, only(event, 'window.slice')),
    ),
    slice: assign(({ context, event }) => sliced(context, only(event, 'window.slice'))),
    giveBack: assign(({ context, event }) => returned(context, only(event, 'window.return'))),
  },
}).createMachine({
  id: 'rate-window',
  initial: 'counting',
  context: EMPTY_TABLE,
  options: { maxIterations: 1000 },
  states: {
    counting: {
      on: {
        'window.take': [{ guard: 'fits', actions: ['take', 'grant'] }, { actions: 'refuse' }],
        'window.slice': { actions: ['answerSlice', 'slice'] },
        'window.return': { actions: 'giveBack' },
      },
    },
  },
});
