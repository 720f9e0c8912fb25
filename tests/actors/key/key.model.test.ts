/**
 * A key against a model of a hundred lines: whatever is changed, spent and asked in any order, over the edges of days,
 * weeks and months, both answer the same, and the key's view, its row, its activity and the audit log agree with the
 * model after every command.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { type AuditEntry, AuditVerifier } from '../../../actors/audit/audit-entry.ts';
import type { Credential } from '../../../actors/key/credential.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import type { KeyUsage } from '../../../actors/key/usage.ts';
import type { Admission, Settled } from '../../../actors/terms/hold.ts';
import { auditAddress, workspaceAddress } from '../../../actors/terms/ids.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { workspaceKind } from '../../../actors/workspace/workspace.ts';
import { bounded } from '../../support/bounded.ts';
import {
  KeyModel,
  type ModelKeyEdit,
  type ModelWindow,
  windowEndsAt,
  windowText,
} from '../../support/model/key-model.ts';
import { text, units } from '../../support/model/oracle.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test, 1_800_000);
const RUNS = Number(process.env.MODEL_RUNS ?? 200);
const PER_MINUTE = 7;
const DAY_MS = 86_400_000;
const TEAM = 'ws_AAAAAAAAAAAAAAAAAAAA';
const OTHER = 'ws_BBBBBBBBBBBBBBBBBBBB';
const NOWHERE = 'ws_CCCCCCCCCCCCCCCCCCCC';
const MEMBERS = new Map([
  [TEAM, ['ann', 'bob']],
  [OTHER, ['ann']],
]);

const window = fc.constantFrom<ModelWindow>('daily', 'daily', 'weekly', 'monthly', null);
const limit = fc.constantFrom(null, '0', '0.7', '2', '5');
const amount = fc.constantFrom('0.1', '0.25', '0.333333333333333333333333', '1', '2.5');
const workspace = fc.constantFrom(null, TEAM, OTHER, NOWHERE);
const member = fc.constantFrom(null, 'ann', 'bob', 'eve');
/** Which of the known holds a command means. */
const aim = fc.nat({ max: 30 });
/** `ms` is added to the time of the change. */
const expiry = fc.option(fc.constantFrom(0, 1, 60_000, DAY_MS, 40 * DAY_MS), { freq: 4 });
const edit = fc.record(
  { name: fc.constantFrom('a', 'b'), limit, limitWindow: window, expiresInMs: expiry, member, disabled: fc.boolean() },
  { requiredKeys: [] },
);

const command = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('admit' as const),
      amount,
      /** A job's request; and the workspace in which it was accepted. */
      isJob: fc.constantFrom(false, false, false, true),
      accepted: fc.option(workspace, { freq: 5, nil: undefined }),
      /** With an idempotency key the account judges the limit. */
      isKeyed: fc.boolean(),
    }),
    weight: 10,
  },
  { arbitrary: fc.record({ do: fc.constant('settle' as const), aim, amount }), weight: 7 },
  { arbitrary: fc.record({ do: fc.constant('raise' as const), aim, amount }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('release' as const), aim }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('count' as const) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('limit' as const), limit, window }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('edit' as const), edit }), weight: 3 },
  fc.record({ do: fc.constant('disable' as const) }),
  { arbitrary: fc.record({ do: fc.constant('enable' as const) }), weight: 3 },
  fc.record({ do: fc.constant('move' as const), workspace }),
  fc.record({ do: fc.constant('suspension' as const), open: fc.constantFrom(true, true, true, false) }),
  fc.record({ do: fc.constant('create' as const) }),
  {
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      to: fc.constantFrom<number | 'before' | 'daily' | 'weekly' | 'monthly'>(
        ...([1, 700, 60_000, 'before', 'daily', 'daily', 'weekly', 'monthly'] as const),
      ),
    }),
    weight: 5,
  },
);
/** Rare, so that it ends few runs early. */
const revoke = fc.constant({ do: 'revoke' as const });
const anyCommand = fc.oneof({ arbitrary: command, weight: 60 }, { arbitrary: revoke, weight: 1 });
type Command = typeof anyCommand extends fc.Arbitrary<infer T> ? T : never;

/** Counts of the interesting cases over all runs: each must occur for the test to prove anything. */
const seen = new Map<string, number>();
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

const settings = { name: 'Team', slug: 'team', description: null, zeroRetention: false, partition: 'model' };

class World {
  readonly actors = new PureActors([accountKind(), keyKind, auditKind, workspaceKind], START);
  readonly model = new KeyModel(START, PER_MINUTE, MEMBERS);

  constructor() {
    this.tell(ACCOUNT, { type: 'account.create', name: 'model' });
    this.tell(ACCOUNT, words.depositEvent('dep-0', '1000000'));
    for (const [id, users] of MEMBERS) {
      const at = workspaceAddress('acct_1', id);
      this.tell(at, { type: 'workspace.create', by: TESTER, settings: { ...settings, allowed: null, ignored: [] } });
      this.tell(at, { type: 'workspace.members.add', by: TESTER, users, role: 'member' });
    }
    this.tell(KEY, words.createKeyEvent({ perMinute: PER_MINUTE }));
  }

  private tell(to: string, event: object) {
    return this.actors.tell(to, event as { type: string });
  }

  run(command: Command): void {
    const { model } = this;
    if (command.do === 'admit') this.admit(command);
    else if (command.do === 'count') this.count();
    else if (command.do === 'edit') this.edit(command.edit);
    else if (command.do === 'advance') this.advance(command.to);
    else if (command.do === 'raise' || command.do === 'settle' || command.do === 'release') this.end(command);
    else if (command.do === 'limit') {
      this.tell(KEY, { type: 'key.edit', by: TESTER, edit: { limit: command.limit, limitWindow: command.window } });
      model.relimit(command.limit === null ? null : units(command.limit), command.window);
    } else if (command.do === 'move') {
      const event = { type: 'key.move', by: TESTER, workspace: command.workspace };
      this.change(event, () => model.move(command.workspace));
    } else if (command.do === 'suspension') {
      this.tell(ACCOUNT, { type: command.open ? 'account.resume' : 'account.suspend', by: TESTER });
      model.ownerSuspended = !command.open;
    } else if (command.do === 'create') {
      const { reply } = this.tell(KEY, words.createKeyEvent({ name: 'other' }));
      assert.is((reply as { created: boolean }).created, false);
    } else {
      this.tell(KEY, { type: `key.${command.do}`, by: TESTER });
      model.switch(({ disable: 'disabled', enable: 'active', revoke: 'revoked' } as const)[command.do]);
    }
  }

  private count(): void {
    const answer = this.actors.ask<Partial<RefusedAnswer>>(KEY, { type: 'key.count', perMinute: 1 } as never);
    const expected = this.model.count();
    assert.is(answer.refusal === undefined ? 'ok' : String(answer.refusal.status), expected, 'count');
    note(`count ${expected}`);
  }

  private admit({ amount: held, isJob, accepted, isKeyed }: Extract<Command, { do: 'admit' }>): void {
    const id = `gen-${this.model.holds.size}`;
    const request = words.request(id, held, {
      deadlineAt: this.model.now + 4_000 * DAY_MS,
      ...(isJob ? { gateway: null, counted: true as const } : {}),
      ...(accepted === undefined || isJob ? {} : { workspace: accepted }),
      ...(isKeyed && !isJob ? { idempotency: { key: id, body: id } } : {}),
    });
    const of = isJob ? { isJob } : { isJob, ...(accepted === undefined ? {} : { accepted }) };
    const expected = this.model.admit(id, units(held), of);
    const actual = isJob ? this.askJob(request) : word(this.actors.ask<Admission>(KEY, words.admitEvent(request)));
    assert.is(actual, expected, `admit ${id}`);
    note(`${isJob ? 'job' : isKeyed ? 'keyed' : 'admit'} ${expected}`);
    if (expected === '401' && this.model.live && !this.model.ownerSuspended) note('401 after a move');
    if (expected === '401' && this.model.expired) note('401 after the expiry');
  }

  /** A job is granted without an answer, or nothing of its submission is committed. */
  private askJob(request: object): string {
    try {
      const { reply } = this.tell(KEY, { type: 'job.admit', request });
      return reply === undefined ? 'ok' : word({ admitted: false, ...(reply as unknown as RefusedAnswer) });
    } catch (thrown) {
      const [, body = ''] = /job\.hold: (.*)$/.exec((thrown as Error).message) ?? [];
      return word({ admitted: false, ...(JSON.parse(body) as { body: RefusedAnswer }).body });
    }
  }

  private end(command: Extract<Command, { do: 'raise' | 'settle' | 'release' }>): void {
    const { model } = this;
    const id = `gen-${command.aim % (model.holds.size + 1)}`;
    const attempt = model.holds.get(id)?.attempt ?? 0;
    if (command.do === 'raise') this.raise(id, attempt + 1, command.amount);
    else if (command.do === 'settle') this.settle(id, attempt, command.amount);
    else if (model.holds.has(id)) {
      this.tell(ACCOUNT, words.releaseEvent(words.release(id, attempt)));
      model.release(id);
    }
  }

  private raise(id: string, attempt: number, to: string): void {
    const more = { attempt, deadlineAt: this.model.now + 4_000 * DAY_MS };
    const actual = word(this.actors.ask<Admission>(KEY, words.raiseEvent(words.request(id, to, more))));
    assert.is(actual, this.model.raise(id, units(to)), `raise ${id}`);
    note(`raise ${actual}`);
  }

  private settle(id: string, attempt: number, cost: string): void {
    const { model } = this;
    const before = model.holds.get(id);
    const isLate = before?.status === 'released';
    if (before?.cost === null) note(isLate ? 'late settle' : model.live ? 'settle' : 'settle of a dead key');
    const event = words.settleEvent(words.settlement(id, cost, attempt));
    const answer = this.actors.ask<Settled | RefusedAnswer>(ACCOUNT, event);
    const expected = model.settle(id, units(cost));
    const actual = 'refusal' in answer ? `${answer.refusal.status}` : answer.cost;
    assert.is(actual, expected === '404' ? '404' : text(expected), `settle ${id}`);
  }

  private edit({ expiresInMs, limit: to, ...change }: Extract<Command, { do: 'edit' }>['edit']): void {
    const { now } = this.model;
    const expiresAt = expiresInMs === undefined ? {} : { expiresAt: expiresInMs === null ? null : now + expiresInMs };
    const model: ModelKeyEdit = {
      ...change,
      ...expiresAt,
      ...(to === undefined ? {} : { limit: to === null ? null : units(to) }),
    };
    const event = {
      type: 'key.edit',
      by: TESTER,
      edit: { ...change, ...expiresAt, ...(to === undefined ? {} : { limit: to }) },
    };
    this.change(event, () => this.model.edit(model));
  }

  /** A change that the key's workspace may refuse: then nothing has changed. */
  private change(event: { readonly type: string } & object, expected: () => boolean): void {
    let isDone = true;
    try {
      this.tell(KEY, event);
    } catch (thrown) {
      assert.match((thrown as Error).message, /is absent|is not a member/);
      isDone = false;
    }
    assert.is(isDone, expected(), event.type);
    note(`${event.type} ${isDone ? 'done' : 'refused'}`);
  }

  private advance(to: Extract<Command, { do: 'advance' }>['to']): void {
    const { model, actors } = this;
    const before = model.spent(model.window);
    const until = typeof to === 'number' ? model.now + to : windowEndsAt(to === 'before' ? 'daily' : to, model.now);
    model.now = to === 'before' ? Math.max(model.now, until - 1) : until;
    actors.advance(model.now - actors.now);
    if (model.window !== null && before > 0n && model.spent(model.window) === 0n) note(`reset ${model.window}`);
  }

  judge(): void {
    const { model, actors } = this;
    const view = actors.ask<KeyView>(KEY, { type: 'key.show' });
    const left = model.left;
    const { status, limitRemaining, limitResetAt, usage, usageDaily, usageWeekly, usageMonthly, held } = view;
    assert.equal(
      {
        ...{
          status,
          limit: view.limit,
          limitWindow: view.limitWindow,
          limitRemaining,
          limitResetAt,
          usage,
          usageDaily,
        },
        ...{ usageWeekly, usageMonthly, held, expiresAt: view.expiresAt, updatedAt: view.updatedAt, name: view.name },
        ...{ workspace: view.workspace, member: view.member },
      },
      {
        status: model.status === 'active' && model.expired ? 'expired' : model.status,
        ...{ limit: model.limit === null ? null : text(model.limit), limitWindow: model.window },
        limitRemaining: left === null ? null : left < 0n ? '0' : text(left),
        limitResetAt: model.limit === null || model.window === null ? null : windowEndsAt(model.window, model.now),
        ...{ usage: text(model.spent(null)), usageDaily: text(model.spent('daily')) },
        ...{ usageWeekly: text(model.spent('weekly')), usageMonthly: text(model.spent('monthly')) },
        ...{ held: text(model.held), expiresAt: model.expiresAt, updatedAt: model.updatedAt, name: model.name },
        ...{ workspace: model.workspace, member: model.member },
      },
    );
    const row = actors.row<Credential>(KEY, 'credential', 'd'.repeat(64));
    assert.equal(
      [row?.status, row?.expiresAt, row?.workspace ?? null, row?.name],
      [model.status, model.expiresAt, model.workspace, model.name],
    );
    this.judgeRecords();
  }

  /** The activity of a day is the sum of its charges. (rule K52) */
  private judgeRecords(): void {
    const { model, actors } = this;
    const days = new Map<string, bigint>();
    for (const { at, cost } of model.charges) {
      days.set(windowText('daily', at), (days.get(windowText('daily', at)) ?? 0n) + cost);
    }
    const recorded = new Map<string, bigint>();
    for (const { day, usage } of actors.list<KeyUsage>(KEY, 'usage')) {
      recorded.set(windowText('daily', day), (recorded.get(windowText('daily', day)) ?? 0n) + units(usage));
    }
    assert.equal([...recorded].sort(), [...days].sort());
  }

  /** Every change is one entry of the audit log, and the log is sound. */
  judgeLog(): void {
    const { model, actors } = this;
    const log = actors.list<AuditEntry>(auditAddress('acct_1'), 'audit').sort((a, b) => a.sequence - b.sequence);
    assert.is(log.filter(({ target }) => target === KEY).length, model.changes);
    const verifier = new AuditVerifier('acct_1');
    verifier.add(log);
    const { sequence, hash } = log.at(-1) as AuditEntry;
    assert.equal(verifier.end({ sequence, hash }), { sound: true, entries: log.length, removed: 0 });
  }
}

function word(answer: Admission): string {
  if (answer.admitted) return 'ok';
  const { status, metadata } = answer.refusal;
  return metadata?.scope ? `${status} ${metadata.scope}` : `${status}`;
}

const admitted: Command = { do: 'admit', amount: '1', isJob: false, accepted: undefined, isKeyed: false };
const settled: Command = { do: 'settle', aim: 0, amount: '1' };
/** The rare situations, so that every run meets them. */
const EXAMPLES: readonly Command[][] = (['weekly', 'monthly'] as const).map((each) => [
  ...([{ do: 'limit', limit: '2', window: each }, admitted, { do: 'raise', aim: 0, amount: '2.5' }, settled] as const),
  ...([{ do: 'advance', to: each }, admitted, { do: 'revoke' }, { do: 'settle', aim: 1, amount: '0.25' }] as const),
  ...([{ do: 'enable' }, admitted] as const),
]);

it('agrees with the model after every command, for any commands in any order', () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { minLength: 15, maxLength: 50, size: 'max' }), (commands) => {
      const world = new World();
      for (const one of commands) {
        world.run(one);
        world.judge();
      }
      world.judgeLog();
    }),
    { numRuns: RUNS, examples: EXAMPLES.map((commands) => [commands]), includeErrorInReport: true },
  );
  const needed = [
    ...['admit ok', 'admit 401', 'admit 402 key', 'admit 429', 'keyed ok', 'keyed 401', 'keyed 402 key', 'job ok'],
    ...['job 401', 'job 402 key', 'raise ok', 'raise 401', 'raise 402 key', 'raise 409', 'count ok', 'count 401'],
    ...['count 429', '401 after a move', '401 after the expiry', 'settle', 'late settle', 'settle of a dead key'],
    ...['key.move done', 'key.move refused', 'key.edit done', 'key.edit refused'],
    ...['reset daily', 'reset weekly', 'reset monthly'],
  ];
  assert.equal(
    needed.filter((what) => !seen.has(what)),
    [],
  );
});

test.run();
