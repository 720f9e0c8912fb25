import { judgeSettle } from '../../../actors/account/admission.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A client that disconnects during an answer is not charged for it: its hold expires. */
export const cancelledNotCharged: Mutation = {
  name: 'cancelled generation not charged',
  caughtBy: 48,
  kinds: accountWith({
    guards: {
      isChargeable: ({ event }) => {
        const settle = only(event, 'hold.settle');
        return ['charge', 'late'].includes(judgeSettle(settle)) && !settle.settlement.cancelled;
      },
    },
  }),
};
