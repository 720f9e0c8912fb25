import type { AccountState } from '../../../actors/account/account-state.ts';
import { judgeOpen } from '../../../actors/account/admission.ts';
import type { AccountEvent, HoldOpen } from '../../../actors/account/events.ts';
import { only } from '../../../actors/terms/only.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** A later attempt is admitted to a generation that was charged, as if it had been released only. */
export const chargedAgain: Mutation = {
  name: 'charged generation admitted again',
  caughtBy: 2,
  kinds: accountWith({
    guards: {
      isGranted: ({ context, event }) => judged(context, event) === 'granted',
      isUnrecorded: ({ context, event }) => judged(context, event) === 'unrecorded',
    },
  }),
};

function judged(book: AccountState, told: AccountEvent): ReturnType<typeof judgeOpen> {
  const event = only(told, 'hold.open');
  const generation = (event.rows.generation ?? []).map(({ id, body }) => ({ id, body: released(body as object) }));
  return judgeOpen(book, { ...event, rows: { ...event.rows, generation } } as unknown as HoldOpen);
}

function released(row: object): object {
  return 'status' in row && row.status === 'settled' ? { ...row, status: 'released' } : row;
}
