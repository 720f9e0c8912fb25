import type { AccountState } from '../../../actors/account/account-state.ts';
import { judgeOpen, type OpenEvent } from '../../../actors/account/open-hold.ts';
import { type Json, verdictOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { accountWith } from './account-with.ts';

/** Admits a later attempt of a charged generation, as if the generation had only been released. */
export const chargedReadmitted: Mutation = {
  name: 'charged generation admitted again',
  caughtBy: 49,
  kinds: accountWith({ guards: { openIs: verdictOn(['hold.open', 'job.hold'], judged) } }),
};

function judged(account: AccountState, event: OpenEvent): ReturnType<typeof judgeOpen> {
  const generation = (event.rows.generation ?? []).map(({ id, body }) => ({ id, body: released(body as object) }));
  return judgeOpen(account, { ...event, rows: { ...event.rows, generation } });
}

function released(row: object): Json {
  return ('status' in row && row.status === 'settled' ? { ...row, status: 'released' } : row) as Json;
}
