import { judgeSettle } from '../../../actors/account/admission.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A settle of an attempt that does not hold the money any more is charged like any other. */
export const staleSettle: Mutation = {
  name: 'settle of an old attempt accepted',
  caughtBy: 1,
  kinds: accountWith({
    guards: {
      isChargeable: ({ event }) => ['charge', 'late', 'stale'].includes(judgeSettle(only(event, 'hold.settle'))),
    },
  }),
};
