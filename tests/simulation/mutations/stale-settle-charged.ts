import { judgeSettle } from '../../../actors/account/admission.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A settle of an attempt that no longer holds the money is charged like any other. */
export const staleSettleCharged: Mutation = {
  name: 'settle of an old attempt accepted',
  caughtBy: 6,
  kinds: accountWith({
    guards: {
      isChargeable: ({ event }) => ['charge', 'late', 'stale'].includes(judgeSettle(only(event, 'hold.settle'))),
    },
  }),
};
