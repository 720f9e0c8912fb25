import type { AccountState } from '../../../actors/account/account-state.ts';
import { judgeOpen, type OpenEvent } from '../../../actors/account/open-hold.ts';
import { verdictOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** Admits the repeat of a request that runs or was charged, as if its idempotency key stood for nothing. */
export const claimIgnored: Mutation = {
  name: 'idempotency key ignored',
  caughtBy: 48,
  kinds: accountWith({ guards: { openIs: verdictOn(['hold.open', 'job.hold'], judged) } }),
};

function judged(account: AccountState, event: OpenEvent): ReturnType<typeof judgeOpen> {
  return judgeOpen(account, { ...event, rows: { ...event.rows, claim: [] } });
}
