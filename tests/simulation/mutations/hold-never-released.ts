import { assign } from 'xstate';
import type { AccountState } from '../../../actors/account/account-state.ts';
import type { AccountEvent } from '../../../actors/account/events.ts';
import { emit } from '../../../actors/runtime/index.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A release is answered, but the hold stays open. */
export const holdNeverReleased: Mutation = {
  name: 'hold not released',
  caughtBy: 61,
  kinds: accountWith({
    actions: {
      release: assign({}),
      recordRelease: emit<AccountState, AccountEvent>(({ event }) => {
        const { generation } = only(event, 'hold.release').release;
        return { type: 'reply', body: { generation, status: 'released' } };
      }),
    },
  }),
};
