/**
 * Account and keys against a model of a hundred lines. Both give the same answers to admissions of turns and of jobs,
 * runs of later attempts, raises, settles, releases, repeats, lost gateways and late messages in any order. The
 * invariants of money hold after every command.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { newestAttempt } from '../../../actors/account/generation.ts';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import type { LowBalance } from '../../../actors/account/low-balance.ts';
import { TOMBSTONE_MS } from '../../../actors/account/tombstone.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import { FEED_EVENTS, type FeedEventRow } from '../../../actors/terms/feed-event.ts';
import type { Admission, Generation, Released, Settled } from '../../../actors/terms/hold.ts';
import { HOLDS_PER_RUN_MAX, holdAttempt, isFirstHold } from '../../../actors/terms/hold.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { type ModelHold, type ModelKey, MoneyModel } from '../../support/model/money-model.ts';
import { text, units } from '../../support/model/oracle.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';
import { verifyLedger } from '../../support/verify-ledger.ts';

const it = bounded(test, 1_800_000);
const RUNS = Number(process.env.MODEL_RUNS ?? 200);
const KEYS = ['key:acct_1/key_1', 'key:acct_1/key_2', 'key:acct_1/key_3'] as const;
const LIMITS = [null, '3', '0.5'] as const;

/** Up to `most` USD, with 0 to 24 decimals. */
const upTo = (most: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: most - 1 }), fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }), fc.nat({ max: 24 }))
    .map(([whole, fraction, digits]) => {
      const decimals = fraction.toString().padStart(24, '0').slice(0, digits);
      return decimals === '' ? `${whole}` : `${whole}.${decimals}`;
    });
const money = upTo(1);
const rarelyFalse = fc.constantFrom(true, true, true, true, false);
const generation = fc.integer({ min: 1, max: 15 }).map((n) => `gen-${n}`);
const key = fc.constantFrom(...KEYS);
/** The attempt: chosen at random from `ATTEMPTS`, or relative to the recorded one (`aimed`). */
const attempt = fc.constantFrom(0, 0, 0, 1, 2);
const ATTEMPTS = [holdAttempt(1, 1), holdAttempt(1, 2), holdAttempt(2, 1)] as const;
const gateway = fc.constantFrom('inc-1', 'inc-2', 'inc-3');
/** The known generation that a command targets; null chooses generation and attempt at random. */
const aim = fc.option(fc.nat({ max: 20 }), { freq: 4 });

const command = fc.oneof(
  fc.record({ do: fc.constant('deposit' as const), id: fc.integer({ min: 1, max: 5 }), amount: upTo(2) }),
  fc.record({
    do: fc.constant('adjust' as const),
    ...{ id: fc.integer({ min: 1, max: 9 }), amount: upTo(2), isTaken: fc.boolean() },
  }),
  fc.record({ do: fc.constant('notice' as const), lowBalance: fc.option(upTo(3), { freq: 6 }) }),
  { arbitrary: fc.record({ do: fc.constant('admit' as const), generation, key, amount: money, gateway }), weight: 8 },
  { arbitrary: fc.record({ do: fc.constant('job' as const), key, amount: money }), weight: 3 },
  fc.record({ do: fc.constant('repeat' as const), generation, key, amount: money, gateway, attempt }),
  {
    arbitrary: fc.record({
      do: fc.constant('rerun' as const),
      ...{ generation, aim, attempt, gateway, amount: money },
      otherKey: fc.option(key, { freq: 8 }),
      repeat: fc.boolean(),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ do: fc.constant('raise' as const), generation, aim, attempt, amount: money }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('settle' as const), generation, aim, attempt, cost: money }), weight: 4 },
  fc.record({ do: fc.constant('release' as const), generation, aim, attempt, isMany: fc.boolean() }),
  fc.record({ do: fc.constant('lose' as const), gateway }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 150_000 }) }),
  fc.record({ do: fc.constant('suspension' as const), open: rarelyFalse }),
  fc.record({ do: fc.constant('toggle' as const), key, live: rarelyFalse }),
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Counters of the interesting cases over all runs: each must occur for the test to prove anything. */
const seen = new Map<string, number>();
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

/** Gateways whose hold was taken over by a later attempt, by generation. */
const formerly = new Map<string, Set<string>>();

function open(): { actors: PureActors; model: MoneyModel } {
  const actors = new PureActors([accountKind(), keyKind, auditKind], words.START);
  const model = new MoneyModel(words.START);
  formerly.clear();
  actors.tell(words.ACCOUNT, { type: 'account.create', name: 'model' } as never);
  actors.tell(words.ACCOUNT, words.depositEvent('dep-0', '2'));
  model.deposit('dep-0', units('2'));
  KEYS.forEach((address, i) => {
    const limit = LIMITS[i] ?? null;
    actors.tell(address, words.createKeyEvent({ limit }));
    model.keys.set(address, { limit: limit === null ? null : units(limit), spent: 0n, held: 0n, live: true });
  });
  return { actors, model };
}

function word(answer: Admission): string {
  if (answer.admitted) return 'ok';
  const { status, metadata } = answer.refusal;
  return metadata?.scope ? `${status} ${metadata.scope}` : `${status}`;
}

function run(actors: PureActors, model: MoneyModel, command: Command): void {
  switch (command.do) {
    case 'deposit':
      actors.tell(words.ACCOUNT, words.depositEvent(`dep-${command.id}`, command.amount));
      model.deposit(`dep-${command.id}`, units(command.amount));
      break;
    case 'adjust': {
      const amount = command.isTaken && units(command.amount) > 0n ? `-${command.amount}` : command.amount;
      actors.tell(words.ACCOUNT, words.adjustmentEvent(`adj-${command.id}`, amount));
      model.adjust(`adj-${command.id}`, units(amount));
      break;
    }
    case 'notice':
      actors.tell(words.ACCOUNT, { type: 'notice.set', by: TESTER, lowBalance: command.lowBalance } as never);
      model.notice(command.lowBalance === null ? null : units(command.lowBalance));
      break;
    case 'admit':
      admit(actors, model, { ...command, attempt: holdAttempt(1, 1), repeat: false });
      break;
    case 'job':
      admitJob(actors, model, command);
      break;
    case 'repeat':
      admit(actors, model, { ...command, attempt: ATTEMPTS[command.attempt] ?? 1, repeat: true });
      break;
    case 'rerun':
      rerun(actors, model, aimed(model, command, 'next run'));
      break;
    case 'raise':
      raise(actors, model, aimed(model, command, 'next hold'));
      break;
    case 'settle':
      settle(actors, model, aimed(model, command, 'same'));
      break;
    case 'release':
      release(actors, model, aimed(model, command, 'same'));
      break;
    case 'lose':
      lose(actors, model, command.gateway);
      break;
    case 'advance':
      actors.advance(command.ms);
      model.advance(command.ms);
      break;
    case 'suspension':
      actors.tell(words.ACCOUNT, { type: command.open ? 'account.resume' : 'account.suspend', by: TESTER });
      model.suspended = !command.open;
      break;
    case 'toggle':
      actors.tell(command.key, { type: command.live ? 'key.enable' : 'key.disable', by: TESTER });
      model.keys.set(command.key, { ...(model.keys.get(command.key) as ModelKey), live: command.live });
  }
}

/**
 * The command aimed at a known generation: usually `ahead` attempts after the recorded one, sometimes before it, or in
 * the next run.
 */
function aimed<T extends { generation: string; attempt: number; aim: number | null }>(
  model: MoneyModel,
  command: T,
  ahead: 'same' | 'next hold' | 'next run',
): T {
  const free = { ...command, attempt: ATTEMPTS[command.attempt] ?? 1 };
  if (command.aim === null || model.holds.size === 0) return free;
  const [generation, { attempt, newest }] = [...model.holds][command.aim % model.holds.size] as [string, ModelHold];
  const nextRun = holdAttempt(Math.floor(newest / HOLDS_PER_RUN_MAX) + 2, 1);
  const usual = { same: attempt, 'next hold': attempt + 1, 'next run': nextRun };
  return { ...command, generation, attempt: [usual[ahead], attempt - 1, nextRun][command.attempt] ?? 1 };
}

/** A run of another attempt of the same generation, on another gateway or the same. */
function rerun(
  actors: PureActors,
  model: MoneyModel,
  command: {
    readonly generation: string;
    readonly otherKey: string | null;
    readonly amount: string;
    readonly gateway: string;
    readonly attempt: number;
    readonly repeat: boolean;
  },
): void {
  const known = model.holds.get(command.generation);
  const before = known?.status ?? 'nothing';
  const former = known?.gateway;
  const relation = known === undefined || command.attempt > known.newest ? 'later' : 'older';
  const actual = admit(actors, model, { ...command, key: command.otherKey ?? known?.key ?? KEYS[0] });
  if (actual === undefined) return;
  note(`${relation} run ${actual} after ${before}`);
  if (actual === 'ok' && before === 'running' && former !== undefined && former !== command.gateway) {
    formerly.set(command.generation, (formerly.get(command.generation) ?? new Set()).add(former));
  }
}

/** The death of a gateway: releases the holds it has now, and none that was taken over from it. */
function lose(actors: PureActors, model: MoneyModel, gateway: string): void {
  const spared = [...formerly].some(([id, former]) => {
    const hold = model.holds.get(id);
    return former.has(gateway) && hold?.status === 'running' && hold.gateway !== gateway;
  });
  if (spared) note('death after a takeover');
  actors.tell(words.ACCOUNT, { type: 'gateway.lost', incarnation: gateway } as never);
  actors.advance(0);
  model.lose(gateway);
}

/** `isMany`: in the commit of a job that gives the hold up, without an answer. */
function release(actors: PureActors, model: MoneyModel, command: Extract<Command, { do: 'release' }>): void {
  const known = model.holds.get(command.generation);
  const ended = words.release(command.generation, command.attempt);
  if (command.isMany && known !== undefined) {
    actors.tell(words.ACCOUNT, words.releaseManyEvent(known.key, [ended]));
    note(`release of many ${model.release(command.generation, command.attempt, TOMBSTONE_MS)}`);
    return;
  }
  const answer = actors.ask<Released | RefusedAnswer>(words.ACCOUNT, words.releaseEvent(ended));
  const actual = 'refusal' in answer ? `${answer.refusal.status}` : answer.status;
  assert.is(actual, model.release(command.generation, command.attempt, TOMBSTONE_MS));
  note(`release ${actual}`);
}

function admit(
  actors: PureActors,
  model: MoneyModel,
  command: { generation: string; key: string; amount: string; gateway: string; attempt: number; repeat: boolean },
): string | undefined {
  const known = model.holds.get(command.generation);
  // The first admission of a generation is sent once without the repeat mark, under one key.
  if (!command.repeat && isFirstHold(command.attempt) && known && known.status !== 'running') return undefined;
  const deadlineAt = actors.now + 300_000;
  const held = words.request(command.generation, command.amount, { ...command, deadlineAt });
  const before = actors.row<Generation>(words.ACCOUNT, 'generation', command.generation);
  const outcome = actors.tell(command.key, words.admitEvent(held));
  const actual = word(outcome.reply as unknown as Admission);
  const expected = model.admit(
    command.generation,
    { ...command, amount: units(command.amount), deadlineAt },
    command.repeat,
  );
  assert.is(actual, expected, `admit ${command.generation}: ${actual}, expected ${expected}`);
  if (actual !== 'ok') assert.not(outcome.durable, 'a refused admit commits nothing');
  if (actual === 'ok' && before === null) assert.ok(outcome.durable);
  const row = actors.row<Generation>(words.ACCOUNT, 'generation', command.generation);
  if (actual === 'ok' && row?.attempt !== before?.attempt) {
    assert.is(row?.gateway, command.gateway);
    assert.is(row?.deadlineAt, deadlineAt);
    assert.is(row?.createdAt, before?.createdAt ?? actors.now, 'a generation keeps its creation time');
  }
  note(`${command.repeat ? 'repeat' : 'admit'} ${actual}`);
  return actual;
}

/** The hold of a job: granted without an answer, or nothing of its submission is committed. No node's death ends it. */
function admitJob(actors: PureActors, model: MoneyModel, { key, amount }: { key: string; amount: string }): void {
  const generation = `gen-job-${model.holds.size}`;
  const deadlineAt = actors.now + 300_000;
  const request = words.request(generation, amount, { attempt: 1, gateway: null, deadlineAt, counted: true });
  const wanted = { key, attempt: 1, amount: units(amount), gateway: 'none', deadlineAt };
  const expected = model.admit(generation, wanted, false);
  const actual = jobAnswer(actors, key, { type: 'job.admit', request } as never);
  assert.is(actual, expected, `job ${generation}: ${actual}, expected ${expected}`);
  note(`job ${actual}`);
}

function jobAnswer(actors: PureActors, key: string, event: { readonly type: string }): string {
  try {
    const { reply } = actors.tell(key, event);
    return reply === undefined ? 'ok' : word({ admitted: false, ...(reply as unknown as RefusedAnswer) });
  } catch (refused) {
    const [, body = ''] = /job\.hold: (.*)$/.exec((refused as Error).message) ?? [];
    return word({ admitted: false, ...(JSON.parse(body) as { body: RefusedAnswer }).body });
  }
}

function raise(actors: PureActors, model: MoneyModel, command: Extract<Command, { do: 'raise' }>): void {
  const { key: keyName = KEYS[0], gateway = 'inc-1' } = model.holds.get(command.generation) ?? {};
  const deadlineAt = actors.now + 300_000;
  const held = words.request(command.generation, command.amount, { attempt: command.attempt, deadlineAt, gateway });
  const actual = word(actors.ask<Admission>(keyName, words.raiseEvent(held)));
  const expected = model.raise(command.generation, keyName, command.attempt, units(command.amount), deadlineAt);
  assert.is(actual, expected, `raise ${command.generation}: ${actual}, expected ${expected}`);
  note(`raise ${actual}`);
}

function settle(
  actors: PureActors,
  model: MoneyModel,
  command: { generation: string; attempt: number; cost: string },
): void {
  const hold = model.holds.get(command.generation);
  const before = hold?.status;
  const event = words.settleEvent(words.settlement(command.generation, command.cost, command.attempt));
  const answer = actors.ask<Settled | RefusedAnswer>(words.ACCOUNT, event);
  const expected = model.settle(command.generation, command.attempt, units(command.cost));
  if ('refusal' in answer) assert.is(`${answer.refusal.status}`, expected, `settle ${command.generation}`);
  else {
    assert.is(answer.cost, text(expected as bigint), `settle ${command.generation}`);
    if (before === 'running') assert.not(answer.late);
    if (before === 'released') assert.ok(answer.late);
    if (answer.overshoot) note('overshoot');
  }
  if (expected === '409') note(`settle of an ${command.attempt < (hold?.newest ?? 0) ? 'older' : 'unknown'} attempt`);
  note(`settle ${'refusal' in answer ? expected : `after ${before}`}`);
}

function check(actors: PureActors, model: MoneyModel): void {
  const state = actors.context<AccountState>(words.ACCOUNT);
  // rule K42: deposits - charges + adjustments, in the account state, in the ledger and in the model.
  assert.is(state.balance, text(model.balance));
  assert.is(state.adjustments, text(model.adjustments));
  assert.is(state.deposits, text(model.deposits));
  assert.is(state.charges, text(model.charges));
  assert.is(state.last?.balance ?? '0', state.balance);
  checkNotice(actors, model);
  // rule K54, rule K70: the held sum equals that of the running rows and that of the keys.
  const rows = actors.list<Generation>(words.ACCOUNT, 'generation');
  const running = rows.filter((row) => row.status === 'running');
  assert.is(state.held, text(running.reduce((sum, row) => sum + units(row.amount), 0n)));
  assert.is(state.held, text(model.held));
  assert.is(state.holds, running.length);
  for (const [address, expected] of model.keys) {
    const keyState = actors.context<KeyState>(address);
    assert.is(keyState.held, text(expected.held), `${address} held`);
    assert.is(keyState.spending.total, text(expected.spent), `${address} spent`);
  }
  // rule K55, rule K65: one end per generation, at most one charge, of the recorded cost.
  for (const row of rows) {
    const expected = model.holds.get(row.generation);
    assert.equal([row.status, newestAttempt(row)], [expected?.status, expected?.newest], row.generation);
    if (row.status === 'settled') assert.is(row.settlement?.cost, text(expected?.cost ?? -1n));
  }
  // rule K69: a charge above the hold records the excess.
  for (const row of rows) {
    const excess = row.settlement === null ? 0n : units(row.settlement.cost) - units(row.amount);
    assert.is(row.overshoot, excess > 0n ? text(excess) : null);
  }
}

/** The ledger of a whole run has no gap, its chain is sound, and it sums to the balance. (rule K43) */
function checkLedger(actors: PureActors): void {
  const verdict = verifyLedger(actors.list<LedgerEntry>(words.ACCOUNT, 'ledger'));
  assert.ok(verdict.sound, JSON.stringify(verdict));
  if (!verdict.sound) return;
  const { balance, last } = actors.context<AccountState>(words.ACCOUNT);
  assert.is(verdict.entries, last?.sequence);
  assert.is(verdict.balance, balance);
}

/** The feed shows the newest notice: the balance and the threshold at that moment. */
function checkNotice(actors: PureActors, model: MoneyModel): void {
  const row = actors.row<FeedEventRow>(words.ACCOUNT, FEED_EVENTS, 'acct_1');
  const newest = model.notices.at(-1);
  assert.is((row?.object as LowBalance | undefined)?.balance, newest === undefined ? undefined : text(newest));
  if (model.notices.length > 1) note('noticed again');
  if (model.balance < 0n) note('balance below 0');
}

it('money agrees with the model after every command, for any commands in any order (rule K42)', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 60, size: 'max' }), (commands) => {
      const { actors, model } = open();
      for (const command of commands) {
        run(actors, model, command);
        check(actors, model);
      }
      checkLedger(actors);
    }),
    { numRuns: RUNS, includeErrorInReport: true },
  );
  const wanted = [
    ...['admit ok', 'admit 402 account', 'admit 402 key', 'admit 401', 'admit 409', 'repeat ok', 'repeat 409'],
    ...['raise ok', 'raise 402 account', 'raise 402 key', 'raise 409', 'release released', 'release settled'],
    ...['release 409', 'settle after running', 'settle after released', 'settle after settled', 'settle 404'],
    ...['settle 409', 'overshoot', 'settle of an older attempt', 'death after a takeover', 'release of many released'],
    ...['running', 'released', 'nothing'].map((before) => `later run ok after ${before}`),
    ...['later run 409 after settled', 'later run 402 key after running', 'later run 402 account after running'],
    ...['job ok', 'job 401', 'job 402 key', 'job 402 account'],
    ...['noticed again', 'balance below 0'],
    ...['later run 401 after released', 'older run 409 after running', 'older run 409 after released'],
  ];
  assert.equal(
    wanted.filter((what) => !seen.has(what)),
    [],
  );
});

test.run();
