import type { AccountState } from '../../../actors/account/account-state.ts';
import { type HoldRelease, judgeRelease } from '../../../actors/account/release-hold.ts';
import { verdictOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** The release of an older attempt ends a hold that a newer attempt has taken over. */
export const staleReleaseAccepted: Mutation = {
  name: 'release of an older attempt accepted',
  caughtBy: 51,
  kinds: accountWith({ guards: { releaseIs: verdictOn('hold.release', judged) } }),
};

function judged(account: AccountState, event: HoldRelease): ReturnType<typeof judgeRelease> {
  const verdict = judgeRelease(account, event);
  return verdict === 'stale' ? 'release' : verdict;
}
