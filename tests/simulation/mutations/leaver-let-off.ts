import { judgeSettle } from '../../../actors/account/admission.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** Whoever leaves in the middle of an answer is not charged for it: his hold runs out. */
export const leaverLetOff: Mutation = {
  name: 'a caller who leaves is not charged',
  caughtBy: 1,
  kinds: accountWith({
    guards: {
      isChargeable: ({ event }) => {
        const told = only(event, 'hold.settle');
        return ['charge', 'late'].includes(judgeSettle(told)) && !told.settlement.cancelled;
      },
    },
  }),
};
