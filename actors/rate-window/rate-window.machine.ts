/**
 * The chart of a rate window: one state, counts by name, all of it volatile. A takeover loses the counts of the current
 * window, which admits more requests and never fewer.
 */
import { setup } from 'xstate';
import { assignOn, emitOn, guardOn } from '../runtime/index.ts';

import type { WindowEvent } from './share.ts';
import { answerSlice, answerTaken, fits, returned, sliced, taken } from './share.ts';
import { EMPTY_TABLE, type WindowTable } from './table.ts';

const answerTake = (granted: boolean) => ({ type: 'answerTaken', params: { granted } }) as const;

export const rateWindowMachine = setup({
  types: {} as { context: WindowTable; events: WindowEvent; input: { address: string } },
  guards: { fits: guardOn('window.take', fits) },
  actions: {
    take: assignOn('window.take', taken),
    answerTaken: emitOn('window.take', answerTaken),
    answerSlice: emitOn('window.slice', answerSlice),
    takeSlice: assignOn('window.slice', sliced),
    giveBack: assignOn('window.return', returned),
  },
}).createMachine({
  id: 'rate-window',
  initial: 'counting',
  context: EMPTY_TABLE,
  options: { maxIterations: 1000 },
  states: {
    counting: {
      on: {
        'window.take': [{ guard: 'fits', actions: ['take', answerTake(true)] }, { actions: answerTake(false) }],
        'window.slice': { actions: ['answerSlice', 'takeSlice'] },
        'window.return': { actions: 'giveBack' },
      },
    },
  },
});
