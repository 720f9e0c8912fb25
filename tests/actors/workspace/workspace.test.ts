import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import type { AuditEntry } from '../../../actors/audit/audit-entry.ts';
import type { Credential } from '../../../actors/key/credential.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import type { Admission } from '../../../actors/terms/hold.ts';
import { auditAddress, defaultWorkspaceId, isWorkspaceId, workspaceAddress } from '../../../actors/terms/ids.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { WORKSPACES_MAX, type WorkspaceRecord } from '../../../actors/terms/workspace.ts';
import { workspaceKind } from '../../../actors/workspace/workspace.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test);
const HOUR = 3_600_000;
const OWNER = 'acct_1';
const TEAM = 'ws_AAAAAAAAAAAAAAAAAAAA';
const OTHER = 'ws_BBBBBBBBBBBBBBBBBBBB';
const at = (id: string): string => workspaceAddress(OWNER, id);

const settings = (more: object = {}) => ({
  ...{ name: 'Team', slug: 'team', description: null, zeroRetention: false, partition: 'model' },
  ...{ allowed: null, ignored: [], ...more },
});

function open(more: Record<string, unknown> = {}): PureActors {
  const actors = new PureActors([accountKind(), keyKind, auditKind, workspaceKind], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(ACCOUNT, words.depositEvent('dep-0', '100'));
  for (const id of [TEAM, OTHER])
    actors.tell(at(id), { type: 'workspace.create', by: TESTER, settings: settings() } as never);
  actors.tell(KEY, words.createKeyEvent({ workspace: TEAM, ...more }));
  return actors;
}

/** What the actor refused directly. */
const refusal = (actors: PureActors, id: string, event: object): Refusal | undefined =>
  actors.ask<{ refusal?: Refusal }>(at(id), event as never).refusal;
const remove = (actors: PureActors) => refusal(actors, TEAM, { type: 'workspace.delete', by: TESTER });
const record = (actors: PureActors, id = TEAM) => actors.row<WorkspaceRecord>(at(id), 'workspace', id);
const budget = (actors: PureActors, limit: string | null, interval = 'daily', id = TEAM) =>
  actors.tell(at(id), { type: 'workspace.budget', by: TESTER, interval, limit } as never);
const move = (actors: PureActors, workspace: string | null) =>
  actors.ask<KeyView>(KEY, { type: 'key.move', by: TESTER, workspace } as never);
const state = (actors: PureActors) => actors.context<AccountState>(ACCOUNT);

function admit(actors: PureActors, id: string, amount: string, more: object = {}): Refusal | 'ok' {
  const request = words.request(id, amount, { deadlineAt: actors.now + 48 * HOUR, ...more });
  const answer = actors.ask<Admission>(KEY, words.admitEvent(request));
  return answer.admitted ? 'ok' : answer.refusal;
}
const scope = (answer: Refusal | 'ok') => (answer === 'ok' ? 'ok' : `${answer.status} ${answer.metadata?.scope}`);
const settle = (actors: PureActors, id: string, cost: string, attempt = 0) =>
  actors.tell(ACCOUNT, words.settleEvent(words.settlement(id, cost, attempt)));

it('the default workspace of an account has an id of its own, and costs its keys no step', () => {
  assert.ok(isWorkspaceId(defaultWorkspaceId(OWNER)));
  assert.is.not(defaultWorkspaceId(OWNER), defaultWorkspaceId('acct_2'));
  for (const workspace of [null, TEAM]) {
    const actors = open({ workspace });
    const admitted = actors.tell(KEY, words.admitEvent(words.request('gen-1', '1')));
    assert.is(admitted.steps, 2, 'key and account');
    assert.is(settle(actors, 'gen-1', '0.5').steps, 2, 'account and key');
    budget(actors, '50');
    assert.is(actors.tell(KEY, words.admitEvent(words.request('gen-2', '1'))).steps, 2, 'with a budget too');
    assert.is(settle(actors, 'gen-2', '0.5').steps, 2);
  }
});

it('counts the keys that belong to it; a workspace with keys is not deleted, an empty one is', () => {
  const actors = open();
  assert.is(record(actors)?.keys, 1);
  assert.match(String(remove(actors)?.message), /1 key belongs/);
  actors.tell(KEY, { type: 'key.disable', by: TESTER });
  assert.is(remove(actors)?.status, 409);
  actors.tell(KEY, { type: 'key.revoke', by: TESTER });
  assert.is(record(actors)?.keys, 0);
  budget(actors, '5');
  actors.tell(at(TEAM), { type: 'workspace.delete', by: TESTER });
  assert.is(record(actors), null);
  assert.equal([Object.keys(state(actors).budgets ?? {}), state(actors).workspaces], [[OTHER], 1]);
});

it('a key is created in, or moved to, an existing workspace only; nothing changes otherwise', () => {
  const actors = open();
  assert.throws(() => move(actors, 'ws_CCCCCCCCCCCCCCCCCCCC'), /absent/);
  const create = words.createKeyEvent({ workspace: 'ws_CCCCCCCCCCCCCCCCCCCC', digest: 'e'.repeat(64) });
  assert.throws(() => actors.tell('key:acct_1/key_2', create), /absent/);
  assert.is(record(actors)?.keys, 1);
  assert.is(move(actors, OTHER).workspace, OTHER);
  assert.equal([record(actors)?.keys, record(actors, OTHER)?.keys], [0, 1]);
  assert.is(actors.row<Credential>(KEY, 'credential', 'd'.repeat(64))?.workspace, OTHER);
  assert.is(move(actors, null).workspace, null);
  assert.is('workspace' in (actors.row<Credential>(KEY, 'credential', 'd'.repeat(64)) as object), false);
  assert.equal([record(actors)?.keys, record(actors, OTHER)?.keys], [0, 0]);
});

it('a request that was accepted in a workspace which its key left is refused with 401', () => {
  const actors = open();
  assert.is(admit(actors, 'gen-1', '1', { workspace: TEAM }), 'ok');
  move(actors, OTHER);
  assert.is((admit(actors, 'gen-2', '1', { workspace: TEAM }) as Refusal).status, 401);
  assert.is((admit(actors, 'gen-2', '1', { workspace: null }) as Refusal).status, 401);
  assert.is(admit(actors, 'gen-3', '1'), 'ok', 'a live request is not bound');
  assert.is(admit(actors, 'gen-4', '1', { workspace: OTHER }), 'ok');
});

it('charges of the window and open holds of all its keys never exceed a budget at a grant; other workspaces are unaffected', () => {
  const actors = open();
  actors.tell('key:acct_1/key_2', words.createKeyEvent({ digest: 'e'.repeat(64) }));
  budget(actors, '3');
  assert.is(scope(admit(actors, 'gen-1', '2')), 'ok');
  const beyond = admit(actors, 'gen-2', '1.01') as Refusal;
  assert.equal(beyond.metadata, { scope: 'workspace', required: '1.01', available: '1', held: '2' });
  settle(actors, 'gen-1', '0.5');
  assert.is(scope(admit(actors, 'gen-3', '2.5')), 'ok');
  assert.is(scope(admit(actors, 'gen-4', '0.01')), '402 workspace');
  const other = words.admitEvent(words.request('gen-5', '50', { deadlineAt: actors.now + HOUR }));
  assert.ok(actors.ask<Admission>('key:acct_1/key_2', other).admitted, 'the default workspace has no budget');
  actors.tell(ACCOUNT, { type: 'hold.release', release: words.release('gen-3') } as never);
  assert.is(scope(admit(actors, 'gen-6', '2.5')), 'ok');
});

it('a budget resets at the UTC edge to the millisecond; the least of its intervals decides', () => {
  const actors = open();
  const midnight = Date.UTC(2025, 10, 22);
  actors.now = midnight - 1;
  budget(actors, '2');
  budget(actors, '3', 'lifetime');
  assert.is(scope(admit(actors, 'gen-1', '2')), 'ok');
  settle(actors, 'gen-1', '2');
  assert.is(scope(admit(actors, 'gen-2', '1')), '402 workspace');
  actors.now = midnight;
  assert.equal((admit(actors, 'gen-3', '1.5') as Refusal).metadata?.available, '1', 'the lifetime budget');
  assert.is(scope(admit(actors, 'gen-3', '1')), 'ok');
});

it('the first budget begins with what was charged before and what runs; raising, lowering and removing it count at once', () => {
  const actors = open();
  // A Monday; before it a charge of last month and one of an earlier week.
  const now = Date.UTC(2025, 10, 24, 12);
  for (const [time, cost] of [
    [Date.UTC(2025, 9, 31, 23), '8'],
    [Date.UTC(2025, 10, 3), '4'],
    [now - 12 * HOUR, '2'],
    [now, '1'],
  ] as const) {
    actors.now = time;
    assert.is(admit(actors, `gen-${cost}`, '9'), 'ok');
    settle(actors, `gen-${cost}`, cost);
  }
  assert.is(admit(actors, 'gen-held', '2'), 'ok');
  const available = () => (admit(actors, 'gen-next', '60') as Refusal).metadata?.available;
  budget(actors, '25', 'lifetime');
  assert.is(available(), '8', '25 - 15 - 2');
  budget(actors, '10');
  assert.is(available(), '5', '10 - 3 of the day - 2');
  budget(actors, '8', 'weekly');
  assert.is(available(), '3', '8 - 3 of the week - 2');
  budget(actors, '9', 'monthly');
  assert.is(available(), '0', '9 - 7 of the month - 2');
  for (const interval of ['daily', 'weekly', 'monthly', 'lifetime']) budget(actors, null, interval);
  assert.is(scope(admit(actors, 'gen-next', '60')), 'ok');
  assert.equal([state(actors).budgets?.[TEAM]?.held, state(actors).budgets?.[TEAM]?.spending.total], ['0', '15']);
  settle(actors, 'gen-held', '1');
  budget(actors, '100', 'lifetime');
  assert.equal((admit(actors, 'gen-last', '90') as Refusal).metadata?.available, '24', '100 - 16 - 60');
});

it('a budget of the default workspace counts what was charged before the workspace was stored, and asks no key', () => {
  const actors = open({ workspace: null });
  admit(actors, 'gen-1', '2');
  settle(actors, 'gen-1', '1.5');
  const id = defaultWorkspaceId(OWNER);
  actors.tell(at(id), { type: 'workspace.create', by: TESTER, settings: settings() } as never);
  const { steps } = budget(actors, '2', 'daily', id);
  assert.is(steps, 3, 'workspace, account and audit log');
  assert.equal((admit(actors, 'gen-2', '1') as Refusal).metadata?.available, '0.5');
  actors.tell(KEY, { type: 'key.revoke', by: TESTER });
  assert.is(state(actors).budgets?.['']?.spending.total, '1.5', 'also once its key is revoked');
});

it('a hold counts where its key was at the grant, also after the key moved', () => {
  const actors = open();
  budget(actors, '3');
  budget(actors, '3', 'daily', OTHER);
  assert.is(admit(actors, 'gen-1', '2'), 'ok');
  move(actors, OTHER);
  settle(actors, 'gen-1', '1.5');
  const { budgets } = state(actors);
  assert.equal([budgets?.[TEAM]?.spending.total, budgets?.[TEAM]?.held], ['1.5', '0']);
  assert.equal([budgets?.[OTHER]?.spending.total, budgets?.[OTHER]?.held], ['0', '0']);
});

it('a raise beyond the budget is refused; a sweep and a lost gateway free what they end', () => {
  const actors = open();
  budget(actors, '3');
  assert.is(admit(actors, 'gen-1', '2'), 'ok');
  const raise = (attempt: number, amount: string) =>
    actors.ask<Admission>(KEY, { type: 'turn.raise', request: words.request('gen-1', amount, { attempt }) } as never);
  const refused = raise(1, '3.5') as { refusal: Refusal };
  assert.equal(refused.refusal.metadata, { scope: 'workspace', required: '1.5', available: '1' });
  assert.ok(raise(2, '2.5').admitted);
  assert.is(state(actors).budgets?.[TEAM]?.held, '2.5');
  actors.tell(ACCOUNT, { type: 'gateway.lost', incarnation: 'inc-1' } as never);
  assert.is(state(actors).budgets?.[TEAM]?.held, '0');
});

it('a key is assigned to members of its workspace only, and a member with keys is not removed', () => {
  const actors = open();
  const members = (type: string, users: string[]) =>
    refusal(actors, TEAM, { type: `workspace.members.${type}`, users, role: 'member', by: TESTER });
  const assign = (member: string | null) =>
    actors.tell(KEY, { type: 'key.edit', by: TESTER, edit: { member } } as never);
  assert.throws(() => assign('ann'), /ann/);
  members('add', ['ann', 'bob', 'ann']);
  assert.equal(
    record(actors)?.members.map(({ user, keys }) => [user, keys]),
    [
      ['ann', 0],
      ['bob', 0],
    ],
  );
  assign('ann');
  assert.match(String(members('remove', ['bob', 'ann'])?.message), /assigned to member "ann"/);
  assert.throws(() => move(actors, OTHER), /ann/, 'no member there');
  assign('bob');
  members('remove', ['ann']);
  actors.tell(KEY, { type: 'key.revoke', by: TESTER });
  members('remove', ['bob']);
  assert.equal(record(actors)?.members, []);
  const crowd = Array.from({ length: 101 }, (_, i) => `m${i}`);
  assert.is(members('add', crowd)?.status, 400);
});

it('the number of workspaces is bounded, and a workspace of an unknown account is not created', () => {
  const actors = open();
  const create = (id: string, owner = OWNER) =>
    actors.tell(workspaceAddress(owner, id), { type: 'workspace.create', by: TESTER, settings: settings() } as never);
  for (let i = 2; i < WORKSPACES_MAX; i++) create(`ws_${String(i).padStart(20, '0')}`);
  assert.throws(() => create(OTHER.replaceAll('B', 'C')), /at most 100/);
  create(TEAM);
  assert.is(state(actors).workspaces, WORKSPACES_MAX, 'a repeat counts once');
  assert.throws(() => create(TEAM, 'acct_9'), /absent/);
});

it('each change is an entry of the audit log; a refused one is not', () => {
  const actors = open();
  actors.tell(at(TEAM), { type: 'workspace.update', by: TESTER, change: { zeroRetention: true } } as never);
  budget(actors, '5');
  assert.is(remove(actors)?.status, 409);
  move(actors, null);
  move(actors, null);
  actors.tell(KEY, { type: 'key.edit', by: TESTER, edit: { name: 'new', limit: '5', limitWindow: 'daily' } } as never);
  actors.tell(at(TEAM), { type: 'workspace.delete', by: TESTER });
  const actions = actors
    .list<AuditEntry>(auditAddress(OWNER), 'audit')
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ action }) => action);
  assert.equal(actions.slice(4), [
    ...['workspace.update', 'workspace.budget', 'key.move', 'key.edit', 'workspace.delete'],
  ]);
});

test.run();
