/**
 * Workspaces, with the keys that belong to them and the account that counts their budgets, against a model of a hundred
 * lines. Keys are created, moved, assigned and revoked while their requests run; budgets are set, raised and removed over
 * the edges of days, weeks and months. Both answer the same, and their records agree after every command.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { Admission } from '../../../actors/terms/hold.ts';
import { holdAttempt } from '../../../actors/terms/hold.ts';
import { defaultWorkspaceId, workspaceAddress } from '../../../actors/terms/ids.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { spentIn } from '../../../actors/terms/spending.ts';
import { DEFAULT_WORKSPACE, type WorkspaceRecord } from '../../../actors/terms/workspace.ts';
import { workspaceKind } from '../../../actors/workspace/workspace.ts';
import { bounded } from '../../support/bounded.ts';
import { windowEndsAt } from '../../support/model/key-model.ts';
import { text, units } from '../../support/model/oracle.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, START } from '../../support/model/words.ts';
import {
  INTERVALS,
  type ModelInterval,
  type WorkspaceHold,
  WorkspaceModel,
} from '../../support/model/workspace-model.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test, 1_800_000);
const RUNS = Number(process.env.MODEL_RUNS ?? 200);
const OWNER = 'acct_1';
const COMMON = defaultWorkspaceId(OWNER);
const WORKSPACES = [COMMON, 'ws_AAAAAAAAAAAAAAAAAAAA', 'ws_BBBBBBBBBBBBBBBBBBBB'] as const;
const KEYS = ['key:acct_1/key_1', 'key:acct_1/key_2', 'key:acct_1/key_3'] as const;
const FAR_MS = 4_000 * 86_400_000;

const workspace = fc.constantFrom(...WORKSPACES, ...WORKSPACES.slice(1));
const key = fc.constantFrom(...KEYS);
const member = fc.constantFrom(null, null, 'ann', 'bob');
const users = fc.constantFrom<readonly string[]>(['ann'], ['bob'], ['ann', 'bob', 'ann'], ['eve']);
const interval = fc.constantFrom<ModelInterval>('daily', ...INTERVALS);
const amount = fc.constantFrom('0.1', '0.25', '0.333333333333333333333333', '1', '2.5');
const gateway = fc.constantFrom('inc-1', 'inc-2');
/** Which of the known holds a command means. */
const aim = fc.nat({ max: 30 });
const lifeMs = fc.constantFrom(FAR_MS, FAR_MS, FAR_MS, 60_000);

const command = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('create' as const), workspace }), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom('add' as const, 'add' as const, 'remove' as const),
      ...{ workspace, users, role: fc.constantFrom('admin' as const, 'member' as const) },
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('budget' as const),
      ...{ workspace, interval, limit: fc.constantFrom(null, '0', '1', '2', '3', '5') },
    }),
    weight: 4,
  },
  fc.record({ do: fc.constant('delete' as const), workspace }),
  { arbitrary: fc.record({ do: fc.constant('issue' as const), key, workspace, member }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('move' as const), key, workspace }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('assign' as const), key, member }), weight: 3 },
  fc.record({ do: fc.constantFrom('disable' as const, 'enable' as const, 'enable' as const), key }),
  { arbitrary: fc.record({ do: fc.constant('admit' as const), key, amount, gateway, lifeMs }), weight: 12 },
  { arbitrary: fc.record({ do: fc.constant('rerun' as const), aim, amount, gateway }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('raise' as const), aim, amount }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('settle' as const), aim, amount }), weight: 7 },
  { arbitrary: fc.record({ do: fc.constant('release' as const), aim }), weight: 2 },
  fc.record({ do: fc.constant('lose' as const), gateway }),
  {
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      to: fc.constantFrom<number | 'before' | 'daily' | 'weekly' | 'monthly'>(
        ...([1, 60_000, 'before', 'daily', 'daily', 'weekly', 'monthly'] as const),
      ),
    }),
    weight: 4,
  },
);
/** Rare, so that it ends few keys early. */
const revoke = fc.record({ do: fc.constant('revoke' as const), key });
const anyCommand = fc.oneof({ arbitrary: command, weight: 40 }, { arbitrary: revoke, weight: 1 });
type Command = typeof anyCommand extends fc.Arbitrary<infer T> ? T : never;
type Of<Name extends Command['do']> = Extract<Command, { do: Name }>;

/** Counts of the interesting cases over all runs: each must occur for the test to prove anything. */
const seen = new Map<string, number>();
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

const at = (id: string): string => workspaceAddress(OWNER, id);
/** The default workspace is named by null, or left out. */
const named = (id: string): string | null => (id === COMMON ? null : id);
const settings = { name: 'Team', slug: 'team', description: null, zeroRetention: false, partition: 'model' };

class World {
  readonly actors = new PureActors([accountKind(), keyKind, auditKind, workspaceKind], START);
  readonly model = new WorkspaceModel(START, COMMON);

  constructor() {
    this.tell(ACCOUNT, { type: 'account.create', name: 'model' });
    this.tell(ACCOUNT, words.depositEvent('dep-0', '1000000'));
  }

  run(command: Command): void {
    if (command.do === 'create') this.create(command.workspace);
    else if (command.do === 'add' || command.do === 'remove') this.members(command);
    else if (command.do === 'budget') this.budget(command);
    else if (command.do === 'delete') this.delete(command.workspace);
    else if (command.do === 'issue') this.issue(command);
    else if (command.do === 'move') this.move(command);
    else if (command.do === 'assign') this.assign(command);
    else if (command.do === 'disable' || command.do === 'enable' || command.do === 'revoke') this.switch(command);
    else if (command.do === 'admit') this.admit(command, `gen-${this.model.holds.size}`, holdAttempt(1, 1));
    else if (command.do === 'advance') this.advance(command.to);
    else if (command.do === 'lose') this.lose(command.gateway);
    else if ('aim' in command) this.runOn(command);
  }

  private tell(to: string, event: object) {
    return this.actors.tell(to, event as { type: string });
  }

  /** Tells an actor something that it, or one that its step reaches, may refuse: then nothing has changed. */
  private ask(what: string, to: string, event: object, expected: () => string): void {
    const actual = this.outcome(to.includes(':') ? to : at(to), event);
    const model = expected();
    assert.is(actual, model, `${what} ${JSON.stringify(event)}`);
    note(`${what} ${model}`);
  }

  private outcome(to: string, event: object): string {
    try {
      const answer = this.tell(to, event).reply as unknown as Partial<RefusedAnswer> | undefined;
      return answer?.refusal === undefined ? 'ok' : `${answer.refusal.status}`;
    } catch (thrown) {
      const { message } = thrown as Error;
      if (message.endsWith('is absent')) return 'absent';
      assert.match(message, /is not a member/);
      return '400';
    }
  }

  private create(id: string): void {
    this.model.create(id);
    const event = { type: 'workspace.create', by: TESTER, settings: { ...settings, allowed: null, ignored: [] } };
    this.tell(at(id), event);
  }

  private delete(id: string): void {
    this.ask('delete', id, { type: 'workspace.delete', by: TESTER }, () => this.model.delete(id));
  }

  private members({ do: change, workspace: id, users: of, role }: Of<'add' | 'remove'>): void {
    const event = { type: `workspace.members.${change}`, users: of, role, by: TESTER };
    const { model } = this;
    this.ask(change, id, event, () => (change === 'add' ? model.add(id, of, role) : model.remove(id, of)));
  }

  private budget({ workspace: id, interval: of, limit }: Of<'budget'>): void {
    const { model } = this;
    const event = { type: 'workspace.budget', by: TESTER, interval: of, limit };
    const isFirst = model.workspaces.get(id)?.budgets.size === 0 && limit !== null;
    if (isFirst && model.spent(id, 'lifetime') > 0n) note('first budget after charges');
    if (isFirst && model.held(id) > 0n) note('first budget while requests run');
    this.ask('budget', id, event, () => model.setBudget(id, of, limit === null ? null : units(limit)));
  }

  private issue({ key: address, workspace: id, member: of }: Of<'issue'>): void {
    if (this.model.keys.has(address)) return;
    const digest = address.at(-1)?.repeat(64);
    const event = words.createKeyEvent({ digest, workspace: named(id), member: of });
    this.ask('issue', address, event, () => this.model.join(address, id, of));
  }

  private move({ key: address, workspace: id }: Of<'move'>): void {
    const known = this.model.keys.get(address);
    if (known === undefined) return;
    const isBusy = [...this.model.holds.values()].some((hold) => hold.key === address && hold.status === 'running');
    if (isBusy && known.workspace !== id) note('moved while its requests run');
    this.ask('move', address, { type: 'key.move', by: TESTER, workspace: named(id) }, () =>
      this.model.join(address, id, known.member),
    );
  }

  private assign({ key: address, member: to }: Of<'assign'>): void {
    if (!this.model.keys.has(address)) return;
    this.ask('assign', address, { type: 'key.edit', by: TESTER, edit: { member: to } }, () =>
      this.model.assign(address, to),
    );
  }

  private switch({ do: change, key: address }: Of<'disable' | 'enable' | 'revoke'>): void {
    const known = this.model.keys.get(address);
    if (known === undefined) return;
    this.tell(address, { type: `key.${change}`, by: TESTER });
    const to = ({ disable: 'disabled', enable: 'active', revoke: 'revoked' } as const)[change];
    if (known.status !== 'revoked') known.status = to;
  }

  private admit(
    { key: address, amount: wanted, gateway: from, lifeMs: ms }: Omit<Of<'admit'>, 'do'>,
    id: string,
    attempt: number,
  ): void {
    if (!this.model.keys.has(address)) return;
    const deadlineAt = this.actors.now + ms;
    const request = words.request(id, wanted, { attempt, gateway: from, deadlineAt });
    const actual = word(this.actors.ask<Admission>(address, words.admitEvent(request)));
    const hold = { key: address, attempt, amount: units(wanted), gateway: from, deadlineAt };
    const [before, owner] = [this.model.holds.get(id), this.model.keys.get(address)];
    const isElsewhere = before?.status === 'running' && before.workspace !== owner?.workspace;
    assert.is(actual, this.model.admit(id, hold), `admit ${id}`);
    const isLater = attempt > holdAttempt(1, 1);
    note(`${isLater ? 'rerun' : 'admit'} ${actual}${isElsewhere ? ' after a move' : ''}`);
  }

  private lose(from: string): void {
    this.tell(ACCOUNT, { type: 'gateway.lost', incarnation: from });
    this.actors.advance(0);
    this.model.release((hold) => hold.gateway === from);
  }

  /** A command about a hold that is known. */
  private runOn(command: Of<'rerun' | 'raise' | 'settle' | 'release'>): void {
    const { model } = this;
    const found = [...model.holds][command.aim % Math.max(1, model.holds.size)];
    if (found === undefined) return;
    const [id, hold] = found;
    if (command.do === 'rerun') {
      this.admit({ ...command, key: hold.key as Of<'admit'>['key'], lifeMs: FAR_MS }, id, nextRun(hold));
    } else if (command.do === 'raise') this.raise(id, hold, command.amount);
    else if (command.do === 'settle') this.settle(id, hold, command.amount);
    else {
      this.tell(ACCOUNT, words.releaseEvent(words.release(id, hold.attempt)));
      model.release((one) => one === hold);
    }
  }

  private raise(id: string, hold: WorkspaceHold, to: string): void {
    const { deadlineAt, gateway: from } = hold;
    const request = words.request(id, to, { attempt: hold.attempt + 1, deadlineAt, gateway: from });
    const actual = word(this.actors.ask<Admission>(hold.key, words.raiseEvent(request)));
    assert.is(actual, this.model.raise(id, hold.attempt + 1, units(to)), `raise ${id}`);
    note(`raise ${actual}`);
  }

  private settle(id: string, hold: WorkspaceHold, cost: string): void {
    if (hold.cost === null) note(`settle of a ${hold.status} hold`);
    if (!this.model.workspaces.has(hold.workspace) && hold.workspace !== COMMON) note('settle in a deleted workspace');
    this.tell(ACCOUNT, words.settleEvent(words.settlement(id, cost, hold.attempt)));
    this.model.settle(id, units(cost));
  }

  private advance(to: Of<'advance'>['to']): void {
    const { model, actors } = this;
    const full = WORKSPACES.filter((id) => (model.left(id) ?? 1n) <= 0n);
    const until = typeof to === 'number' ? model.now + to : windowEndsAt(to === 'before' ? 'daily' : to, model.now);
    model.now = to === 'before' ? Math.max(model.now, until - 1) : until;
    actors.advance(model.now - actors.now);
    model.release(({ deadlineAt }) => deadlineAt <= model.now);
    if (full.some((id) => (model.left(id) ?? 0n) > 0n)) note('a used-up budget has room again');
  }

  judge(): void {
    const { model, actors } = this;
    const state = actors.context<AccountState>(ACCOUNT);
    assert.is(state.workspaces, model.workspaces.size);
    for (const id of WORKSPACES) {
      const record = actors.row<WorkspaceRecord>(at(id), 'workspace', id);
      const expected = model.workspaces.get(id);
      assert.is(record === null, expected === undefined, id);
      const sum = state.budgets?.[named(id) ?? DEFAULT_WORKSPACE];
      for (const each of INTERVALS) {
        const window = each === 'lifetime' ? null : each;
        const spent = sum === undefined ? '0' : spentIn(sum.spending, window, model.now);
        assert.is(spent, text(model.spent(id, each)), `${each} in ${id}`);
      }
      if (id !== COMMON) assert.is(sum === undefined, expected === undefined, `sums of ${id}`);
      if (record === null || expected === undefined) continue;
      assert.equal(
        [record.keys, record.members.map(({ user, role, keys }) => [user, role, keys])],
        [model.keysOf(id), [...expected.members].map(([user, role]) => [user, role, model.keysOf(id, user)])],
      );
      const limits = INTERVALS.filter((each) => expected.budgets.has(each));
      assert.equal(
        record.budgets.map(({ interval: each, limit }) => [each, limit]),
        limits.map((each) => [each, text(expected.budgets.get(each) as bigint)]),
      );
      assert.equal(sum?.limits, Object.fromEntries(record.budgets.map(({ interval: each, limit }) => [each, limit])));
      assert.is(sum?.held, limits.length === 0 ? '0' : text(model.held(id)), `held in ${id}`);
    }
    assert.is(state.held, text(WORKSPACES.reduce((sum, id) => sum + model.held(id), 0n)));
  }
}

/** The attempt of the next run of a generation: an earlier one may have been raised. */
function nextRun({ attempt }: WorkspaceHold): number {
  for (let run = 1; ; run++) if (holdAttempt(run, 1) > attempt) return holdAttempt(run, 1);
}

function word(answer: Admission): string {
  if (answer.admitted) return 'ok';
  const { status, metadata } = answer.refusal;
  return metadata?.scope ? `${status} ${metadata.scope}` : `${status}`;
}

const [, TEAM, OTHER] = WORKSPACES;
const [FIRST] = KEYS;
const issued: readonly Command[] = [
  ...([TEAM, OTHER] as const).map((id): Command => ({ do: 'create', workspace: id })),
  { do: 'issue', key: FIRST, workspace: TEAM, member: null },
];
const admitted = (wanted: '1' | '2.5'): Command => ({
  ...{ do: 'admit', key: FIRST, amount: wanted, gateway: 'inc-1', lifeMs: FAR_MS },
});
const budgeted = (id: typeof TEAM | typeof OTHER, limit: '1' | '2'): Command => ({
  ...{ do: 'budget', workspace: id, interval: 'daily', limit },
});
const moved: Command = { do: 'move', key: FIRST, workspace: OTHER };
const settled: Command = { do: 'settle', aim: 0, amount: '1' };
/** The rare situations, so that every run meets them. */
const EXAMPLES: readonly Command[][] = [
  [
    ...issued,
    admitted('1'),
    moved,
    budgeted(OTHER, '2'),
    { do: 'rerun', aim: 0, amount: '1', gateway: 'inc-2' },
    settled,
  ],
  [...issued, budgeted(TEAM, '1'), admitted('1'), { do: 'raise', aim: 0, amount: '2.5' }],
  [
    ...issued,
    { do: 'add', workspace: TEAM, users: ['ann'], role: 'member' },
    { do: 'assign', key: FIRST, member: 'ann' },
    { do: 'remove', workspace: TEAM, users: ['ann'], role: 'member' },
  ],
  [...issued, admitted('1'), moved, { do: 'delete', workspace: TEAM }, settled, { do: 'create', workspace: TEAM }],
  [
    ...issued,
    budgeted(TEAM, '1'),
    admitted('1'),
    settled,
    admitted('1'),
    { do: 'advance', to: 'daily' },
    admitted('1'),
  ],
];

it('agree with the model after every command, for any commands in any order', () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { minLength: 20, maxLength: 70, size: 'max' }), (commands) => {
      const world = new World();
      for (const one of commands) {
        world.run(one);
        world.judge();
      }
    }),
    { numRuns: RUNS, examples: EXAMPLES.map((commands) => [commands]), includeErrorInReport: true },
  );
  const needed = [
    ...['add ok', 'add absent', 'remove ok', 'remove 409', 'remove absent', 'budget ok', 'budget absent', 'delete ok'],
    ...['delete 403', 'delete 409', 'delete absent', 'issue ok', 'issue absent', 'issue 400', 'move ok', 'move absent'],
    ...['move 400', 'assign ok', 'assign 400', 'admit ok', 'admit 401', 'admit 402 workspace', 'rerun ok', 'raise ok'],
    ...['rerun ok after a move', 'rerun 409', 'raise 402 workspace', 'raise 409', 'moved while its requests run'],
    ...['first budget after charges', 'first budget while requests run', 'settle of a running hold'],
    ...['settle of a released hold', 'settle in a deleted workspace', 'a used-up budget has room again'],
  ];
  assert.equal(
    needed.filter((what) => !seen.has(what)),
    [],
  );
});

test.run();
