import type { BatchState } from '../../../actors/batch/batch-state.ts';
import type { BatchEvent } from '../../../actors/batch/events.ts';
import { recordOutcome } from '../../../actors/batch/line-effects.ts';
import { emit } from '../../../actors/runtime/index.ts';
import { only } from '../../../actors/terms/chart-tools.ts';
import type { Mutation } from '../mutation.ts';
import { batchWith } from './batch-with.ts';

/** The reply of a line is recorded, but its charge is not sent to the account. */
export const outcomeWithoutCharge: Mutation = {
  name: 'line of a batch recorded without its charge',
  caughtBy: 61,
  kinds: batchWith({
    actions: {
      recordOutcome: emit<BatchState, BatchEvent>(({ context, event }) =>
        recordOutcome(context, only(event, 'line.done')).filter(({ type }) => type !== 'send'),
      ),
    },
  }),
};
