/**
 * Account and keys against a model of a hundred lines: both give the same answers to admits, runs of later attempts,
 * raises, settles, releases, repeats, lost gateways and late messages in any order, and the invariants of money hold
 * after every command.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { type LedgerEntry, verifyLedger } from '../../../actors/account/ledger.ts';
import { TOMBSTONE_MS } from '../../../actors/account/tombstone.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Admission, Generation, Released, Settled } from '../../../actors/terms/hold.ts';
import { HOLDS_PER_RUN_MAX, holdAttempt, isFirstHold } from '../../../actors/terms/hold-attempt.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { House } from '../../support/model/house.ts';
import { type ModelHold, type ModelKey, MoneyModel } from '../../support/model/money-model.ts';
import { text, units } from '../../support/model/oracle.ts';
import * as words from '../../support/model/words.ts';

const it = bounded(test, 60_000);
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
/** Which attempt: by chance one of `ATTEMPTS`, or relative to what stands recorded (`aimed`). */
const attempt = fc.constantFrom(0, 0, 0, 1, 2);
const ATTEMPTS = [holdAttempt(1, 1), holdAttempt(1, 2), holdAttempt(2, 1)] as const;
const gateway = fc.constantFrom('inc-1', 'inc-2', 'inc-3');
/** Which of the known generations a command is aimed at; null leaves generation and attempt to chance. */
const aim = fc.option(fc.nat({ max: 20 }), { freq: 4 });

const command = fc.oneof(
  fc.record({ do: fc.constant('deposit' as const), id: fc.integer({ min: 1, max: 5 }), amount: upTo(2) }),
  { arbitrary: fc.record({ do: fc.constant('admit' as const), generation, key, amount: money, gateway }), weight: 8 },
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
  { arbitrary: fc.record({ do: fc.constant('release' as const), generation, aim, attempt }), weight: 1 },
  fc.record({ do: fc.constant('lose' as const), gateway }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 150_000 }) }),
  fc.record({ do: fc.constant('standing' as const), open: rarelyFalse }),
  fc.record({ do: fc.constant('toggle' as const), key, live: rarelyFalse }),
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** How often each interesting thing happened over all runs: a run in which it never did proves nothing. */
const seen = new Map<string, number>();
const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

/** Gateways whose hold a later attempt took over, by generation. */
const formerly = new Map<string, Set<string>>();

function open(): { house: House; model: MoneyModel } {
  const house = new House([accountKind(), keyKind], words.START);
  const model = new MoneyModel(words.START);
  formerly.clear();
  house.tell(words.ACCOUNT, { type: 'account.create', name: 'model' } as never);
  house.tell(words.ACCOUNT, words.depositEvent('dep-0', '2'));
  model.deposit('dep-0', units('2'));
  KEYS.forEach((address, i) => {
    const limit = LIMITS[i] ?? null;
    house.tell(address, words.createKeyEvent({ limit }));
    model.keys.set(address, { limit: limit === null ? null : units(limit), spent: 0n, held: 0n, live: true });
  });
  return { house, model };
}

function word(answer: Admission): string {
  if (answer.admitted) return 'ok';
  const { status, metadata } = answer.refusal;
  return metadata?.scope ? `${status} ${metadata.scope}` : `${status}`;
}

function run(house: House, model: MoneyModel, told: Command): void {
  switch (told.do) {
    case 'deposit':
      house.tell(words.ACCOUNT, words.depositEvent(`dep-${told.id}`, told.amount));
      model.deposit(`dep-${told.id}`, units(told.amount));
      break;
    case 'admit':
      admit(house, model, { ...told, attempt: holdAttempt(1, 1), repeat: false });
      break;
    case 'repeat':
      admit(house, model, { ...told, attempt: ATTEMPTS[told.attempt] ?? 1, repeat: true });
      break;
    case 'rerun':
      rerun(house, model, aimed(model, told, 'next run'));
      break;
    case 'raise':
      raise(house, model, aimed(model, told, 'next hold'));
      break;
    case 'settle':
      settle(house, model, aimed(model, told, 'same'));
      break;
    case 'release':
      release(house, model, aimed(model, told, 'same'));
      break;
    case 'lose':
      lose(house, model, told.gateway);
      break;
    case 'advance':
      house.advance(told.ms);
      model.advance(told.ms);
      break;
    case 'standing':
      house.tell(words.ACCOUNT, { type: told.open ? 'account.resume' : 'account.suspend' });
      model.suspended = !told.open;
      break;
    case 'toggle':
      house.tell(told.key, { type: told.live ? 'key.enable' : 'key.disable' });
      model.keys.set(told.key, { ...(model.keys.get(told.key) as ModelKey), live: told.live });
  }
}

/**
 * The command as aimed at a known generation: mostly ahead of the attempt that stands recorded as far as `ahead` says, now
 * and then behind it, or of the run after it.
 */
function aimed<T extends { generation: string; attempt: number; aim: number | null }>(
  model: MoneyModel,
  told: T,
  ahead: 'same' | 'next hold' | 'next run',
): T {
  const free = { ...told, attempt: ATTEMPTS[told.attempt] ?? 1 };
  if (told.aim === null || model.holds.size === 0) return free;
  const [generation, { attempt, newest }] = [...model.holds][told.aim % model.holds.size] as [string, ModelHold];
  const nextRun = holdAttempt(Math.floor(newest / HOLDS_PER_RUN_MAX) + 2, 1);
  const usual = { same: attempt, 'next hold': attempt + 1, 'next run': nextRun };
  return { ...told, generation, attempt: [usual[ahead], attempt - 1, nextRun][told.attempt] ?? 1 };
}

/** A run of another attempt of the same generation, on another gateway or the same. */
function rerun(
  house: House,
  model: MoneyModel,
  told: {
    readonly generation: string;
    readonly otherKey: string | null;
    readonly amount: string;
    readonly gateway: string;
    readonly attempt: number;
    readonly repeat: boolean;
  },
): void {
  const known = model.holds.get(told.generation);
  const before = known?.status ?? 'nothing';
  const former = known?.gateway;
  const relation = known === undefined || told.attempt > known.newest ? 'later' : 'older';
  const said = admit(house, model, { ...told, key: told.otherKey ?? known?.key ?? KEYS[0] });
  if (said === undefined) return;
  note(`${relation} run ${said} after ${before}`);
  if (said === 'ok' && before === 'running' && former !== undefined && former !== told.gateway) {
    formerly.set(told.generation, (formerly.get(told.generation) ?? new Set()).add(former));
  }
}

/** The burial of a gateway: it releases what this gateway holds now, and nothing that was taken over from it. */
function lose(house: House, model: MoneyModel, gateway: string): void {
  const spared = [...formerly].some(([id, former]) => {
    const hold = model.holds.get(id);
    return former.has(gateway) && hold?.status === 'running' && hold.gateway !== gateway;
  });
  if (spared) note('burial after a takeover');
  house.tell(words.ACCOUNT, { type: 'gateway.lost', incarnation: gateway } as never);
  house.advance(0);
  model.lose(gateway);
}

function release(house: House, model: MoneyModel, told: { generation: string; attempt: number }): void {
  const event = words.releaseEvent(words.release(told.generation, told.attempt));
  const answer = house.ask<Released | RefusedAnswer>(words.ACCOUNT, event);
  const said = 'refusal' in answer ? `${answer.refusal.status}` : answer.status;
  assert.is(said, model.release(told.generation, told.attempt, TOMBSTONE_MS));
  note(`release ${said}`);
}

function admit(
  house: House,
  model: MoneyModel,
  told: { generation: string; key: string; amount: string; gateway: string; attempt: number; repeat: boolean },
): string | undefined {
  const known = model.holds.get(told.generation);
  // The very first admit of a generation is sent once without the mark of a repeat, and under one key.
  if (!told.repeat && isFirstHold(told.attempt) && known && known.status !== 'running') return undefined;
  const deadlineAt = house.now + 300_000;
  const held = words.request(told.generation, told.amount, { ...told, deadlineAt });
  const before = house.row<Generation>(words.ACCOUNT, 'generation', told.generation);
  const outcome = house.tell(told.key, words.admitEvent(held));
  const said = word(outcome.reply as unknown as Admission);
  const expected = model.admit(told.generation, { ...told, amount: units(told.amount), deadlineAt }, told.repeat);
  assert.is(said, expected, `admit ${told.generation}: ${said}, expected ${expected}`);
  if (said !== 'ok') assert.not(outcome.durable, 'a refused admit commits nothing');
  if (said === 'ok' && before === null) assert.ok(outcome.durable);
  const row = house.row<Generation>(words.ACCOUNT, 'generation', told.generation);
  if (said === 'ok' && row?.attempt !== before?.attempt) {
    assert.is(row?.gateway, told.gateway);
    assert.is(row?.deadlineAt, deadlineAt);
    assert.is(row?.createdAt, before?.createdAt ?? house.now, 'a generation keeps its beginning');
  }
  note(`${told.repeat ? 'repeat' : 'admit'} ${said}`);
  return said;
}

function raise(house: House, model: MoneyModel, told: { generation: string; attempt: number; amount: string }): void {
  const { key: keyName = KEYS[0], gateway = 'inc-1' } = model.holds.get(told.generation) ?? {};
  const deadlineAt = house.now + 300_000;
  const held = words.request(told.generation, told.amount, { attempt: told.attempt, deadlineAt, gateway });
  const said = word(house.ask<Admission>(keyName, words.raiseEvent(held)));
  const expected = model.raise(told.generation, keyName, told.attempt, units(told.amount), deadlineAt);
  assert.is(said, expected, `raise ${told.generation}: ${said}, expected ${expected}`);
  note(`raise ${said}`);
}

function settle(house: House, model: MoneyModel, told: { generation: string; attempt: number; cost: string }): void {
  const hold = model.holds.get(told.generation);
  const before = hold?.status;
  const event = words.settleEvent(words.settlement(told.generation, told.cost, told.attempt));
  const answer = house.ask<Settled | RefusedAnswer>(words.ACCOUNT, event);
  const expected = model.settle(told.generation, told.attempt, units(told.cost));
  if ('refusal' in answer) assert.is(`${answer.refusal.status}`, expected, `settle ${told.generation}`);
  else {
    assert.is(answer.cost, text(expected as bigint), `settle ${told.generation}`);
    if (before === 'running') assert.not(answer.late);
    if (before === 'released') assert.ok(answer.late);
    if (answer.overshoot) note('overshoot');
  }
  if (expected === '409') note(`settle of an ${told.attempt < (hold?.newest ?? 0) ? 'older' : 'unknown'} attempt`);
  note(`settle ${'refusal' in answer ? expected : `after ${before}`}`);
}

function check(house: House, model: MoneyModel): void {
  const state = house.context<AccountState>(words.ACCOUNT);
  const verdict = verifyLedger(house.list<LedgerEntry>(words.ACCOUNT, 'ledger'));
  assert.ok(verdict.sound, JSON.stringify(verdict));
  if (!verdict.sound) return;
  // M1: balance = deposits - charges, in the book, in the ledger and in the model.
  assert.is(state.balance, text(model.deposits - model.charges));
  assert.is(state.deposits, text(model.deposits));
  assert.is(state.charges, text(model.charges));
  assert.is(verdict.entries === 0 ? '0' : verdict.balance, state.balance);
  // M2, M9: what is held is what the running rows say, and what the keys say.
  const rows = house.list<Generation>(words.ACCOUNT, 'generation');
  const running = rows.filter((row) => row.status === 'running');
  assert.is(state.held, text(running.reduce((sum, row) => sum + units(row.amount), 0n)));
  assert.is(state.held, text(model.held));
  assert.is(state.holds, running.length);
  for (const [address, expected] of model.keys) {
    const purse = house.context<KeyState>(address);
    assert.is(purse.held, text(expected.held), `${address} held`);
    assert.is(purse.spending.total, text(expected.spent), `${address} spent`);
  }
  // M3, M4: one end per generation, at most one charge, of the recorded cost.
  for (const row of rows) {
    const expected = model.holds.get(row.generation);
    assert.is(row.status, expected?.status, row.generation);
    if (row.status === 'settled') assert.is(row.settlement?.cost, text(expected?.cost ?? -1n));
  }
  // M8: above the hold only with the excess on record.
  for (const row of rows) {
    const excess = row.settlement === null ? 0n : units(row.settlement.cost) - units(row.amount);
    assert.is(row.overshoot, excess > 0n ? text(excess) : null);
  }
}

it('money agrees with the model after every command, whatever comes in whatever order', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 60, size: 'max' }), (commands) => {
      const { house, model } = open();
      for (const told of commands) {
        run(house, model, told);
        check(house, model);
      }
    }),
    { numRuns: 200, includeErrorInReport: true },
  );
  const wanted = [
    ...['admit ok', 'admit 402 account', 'admit 402 key', 'admit 401', 'admit 409', 'repeat ok', 'repeat 409'],
    ...['raise ok', 'raise 402 account', 'raise 402 key', 'raise 409', 'release released', 'release settled'],
    ...['release 409', 'settle after running', 'settle after released', 'settle after settled', 'settle 404'],
    ...['settle 409', 'overshoot', 'settle of an older attempt', 'burial after a takeover'],
    ...['running', 'released', 'nothing'].map((before) => `later run ok after ${before}`),
    ...['later run 409 after settled', 'later run 402 key after running', 'later run 402 account after running'],
    ...['later run 401 after released', 'older run 409 after running', 'older run 409 after released'],
  ];
  assert.equal(
    wanted.filter((what) => !seen.has(what)),
    [],
  );
});

test.run();
