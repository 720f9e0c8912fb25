import { judgeRelease } from '../../../actors/account/admission.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** The release of an older attempt ends a hold that a newer attempt has taken over. */
export const staleReleaseAccepted: Mutation = {
  name: 'release of an older attempt accepted',
  caughtBy: 51,
  kinds: accountWith({
    guards: {
      isReleasable: ({ event }) => ['release', 'stale'].includes(judgeRelease(only(event, 'hold.release'))),
    },
  }),
};
