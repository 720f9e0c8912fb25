import type { AccountState } from '../../../actors/account/account-state.ts';
import { judgeOpen } from '../../../actors/account/admission.ts';
import type { AccountEvent } from '../../../actors/account/events.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** Admits the repeat of a request that runs or was charged, as if its idempotency key stood for nothing. */
export const claimIgnored: Mutation = {
  name: 'idempotency key ignored',
  caughtBy: 48,
  kinds: accountWith({
    guards: {
      isGranted: ({ context, event }) => judged(context, event) === 'granted',
      isShort: ({ context, event }) => judged(context, event) === 'short',
      isBeyondLimit: ({ context, event }) => judged(context, event) === 'key-short',
      isClaimed: () => false,
    },
  }),
};

function judged(account: AccountState, accountEvent: AccountEvent): ReturnType<typeof judgeOpen> {
  const event = only(accountEvent, 'hold.open');
  return judgeOpen(account, { ...event, rows: { ...event.rows, claim: [] } });
}
