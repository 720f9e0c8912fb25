/** The account's creation, its keys, and the operator's switch: open or suspended. */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { reply } from '../terms/chart-tools.ts';
import type { Principal } from '../terms/principal.ts';
import { UNAUTHENTICATED } from '../terms/refusal.ts';
import { type AccountState, nextOf } from './account-state.ts';
import { putProfile } from './profile.ts';
import { type AccountView, accountView } from './statement.ts';

type AccountCreate = Stamped & { readonly type: 'account.create'; readonly name: string };
/** An operator's switch: a suspended account is answered 401 until it is resumed. */
type AccountSwitch = Stamped & { readonly type: 'account.suspend' | 'account.resume'; readonly by: Principal };
/** From a key in the commit that creates it. */
type KeyIssued = Stamped & { readonly type: 'key.issued'; readonly key: string; readonly label: string };
export type LifecycleEvent =
  | AccountCreate
  | AccountSwitch
  | KeyIssued
  | (Stamped & { readonly type: 'account.show' })
  /** From a key that counted a request: asks whether the account may send requests (open) or not (suspended). */
  | (Stamped & { readonly type: 'account.standing' });

function create(state: AccountState, { name, at }: AccountCreate): AccountState {
  const next = nextOf(state);
  next.name = name;
  next.createdAt = at;
  return next;
}

/** `created` is false for a repeat. */
function answerCreate({ address: account, name }: AccountState, _: unknown, { created }: { created: boolean }): Effect {
  return reply({ account, name, created });
}

/** The entry of an operator's switch in the account's audit log. */
function recordSwitch(state: AccountState, { type: action, by }: AccountSwitch): readonly Effect[] {
  const { address } = state;
  const status = action === 'account.suspend' ? 'suspended' : 'open';
  return [recordAudit(address, { action, target: address, by }), putProfile(state, status)];
}

function show(state: AccountState, _: unknown, { status }: Pick<AccountView, 'status'>): Effect {
  return reply(accountView(state, status));
}

export const guards = {
  isNew: guardOn('*', ({ createdAt }: AccountState) => createdAt === null),
};

export const actions = {
  create: assignOn('account.create', create),
  listNew: emitOn('account.create', (state: AccountState) => putProfile(state, 'open')),
  answerCreate: emitOn('*', answerCreate),
  recordSwitch: emitOn(['account.suspend', 'account.resume'], recordSwitch),
  show: emitOn('*', show),
  answerStanding: emitOn('*', () => reply({ counted: true })),
  refuseOwner: emitOn('*', () => reply({ refusal: UNAUTHENTICATED })),
  countKey: assignOn('*', ({ keys }: AccountState) => ({ keys: keys + 1 })),
  answerIssued: emitOn('key.issued', (_: AccountState, { key, label }: KeyIssued) =>
    reply({ key, label, created: true }),
  ),
};
