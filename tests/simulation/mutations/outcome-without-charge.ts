import type { BatchState } from '../../../actors/batch/batch-state.ts';
import { LINE_END, type LineEnd, recordOutcome } from '../../../actors/batch/lines.ts';
import { emitOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { batchWith } from './batch-with.ts';

/** The reply of a line is recorded, but its charge is not sent to the account. */
export const outcomeWithoutCharge: Mutation = {
  name: 'line of a batch recorded without its charge',
  caughtBy: 61,
  kinds: batchWith({
    actions: {
      recordOutcome: emitOn(LINE_END, (state: BatchState, event: LineEnd) =>
        recordOutcome(state, event).filter(({ type }) => type !== 'send'),
      ),
    },
  }),
};
