import { assign } from 'xstate';
import type { AccountState } from '../../../actors/account/account-state.ts';
import type { HoldRelease } from '../../../actors/account/release-hold.ts';
import { emitOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A release is answered, but the hold stays open. */
export const holdNeverReleased: Mutation = {
  name: 'hold not released',
  caughtBy: 61,
  kinds: accountWith({
    actions: {
      release: assign({}),
      recordRelease: emitOn('hold.release', (_: AccountState, { release: { generation } }: HoldRelease) => {
        return { type: 'reply', body: { generation, status: 'released' } };
      }),
    },
  }),
};
