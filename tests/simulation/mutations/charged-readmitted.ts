import type { AccountState } from '../../../actors/account/account-state.ts';
import { judgeOpen } from '../../../actors/account/admission.ts';
import type { AccountEvent, HoldOpen } from '../../../actors/account/events.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** Admits a later attempt of a charged generation, as if the generation had only been released. */
export const chargedReadmitted: Mutation = {
  name: 'charged generation admitted again',
  caughtBy: 49,
  kinds: accountWith({
    guards: {
      isGranted: ({ context, event }) => judged(context, event) === 'granted',
      isUnrecorded: ({ context, event }) => judged(context, event) === 'unrecorded',
    },
  }),
};

function judged(account: AccountState, accountEvent: AccountEvent): ReturnType<typeof judgeOpen> {
  const event = only(accountEvent, 'hold.open');
  const generation = (event.rows.generation ?? []).map(({ id, body }) => ({ id, body: released(body as object) }));
  return judgeOpen(account, { ...event, rows: { ...event.rows, generation } } as unknown as HoldOpen);
}

function released(row: object): object {
  return 'status' in row && row.status === 'settled' ? { ...row, status: 'released' } : row;
}
