/** A hold outlives its runner: how later attempts of a generation are admitted, and what earlier ones may still do. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccountState } from '../../../actors/account/account-state.ts';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { TOMBSTONE_MS } from '../../../actors/account/tombstone.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Admission, Generation, HoldRequest, Released, Settled } from '../../../actors/terms/hold.ts';
import { HOLDS_PER_RUN_MAX, holdAttempt } from '../../../actors/terms/hold.ts';
import type { Refusal, RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { funded } from '../../support/model/funded.ts';
import type { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test);
const FIRST = holdAttempt(1, 1);
const SECOND = holdAttempt(2, 1);
const THIRD = holdAttempt(3, 1);

const open = (balance = '10'): PureActors => funded(balance);

const accountState = (actors: PureActors): AccountState => actors.context<AccountState>(ACCOUNT);
const keyState = (actors: PureActors): KeyState => actors.context<KeyState>(KEY);
const row = (actors: PureActors) => actors.row<Generation>(ACCOUNT, 'generation', 'gen-1') as Generation;
const charges = (actors: PureActors) =>
  actors.list<LedgerEntry>(ACCOUNT, 'ledger').filter(({ type }) => type === 'charge');
const lose = (actors: PureActors, incarnation: string) =>
  actors.tell(ACCOUNT, { type: 'gateway.lost', incarnation } as never);

/** The admission of a batch line: its id is older than its run, so it is sent as a possible repeat. */
function admit(actors: PureActors, attempt: number, gateway: string, more: Partial<HoldRequest> = {}): Admission {
  const held = words.request('gen-1', '1', { attempt, gateway, repeat: true, ...more });
  return actors.ask<Admission>(KEY, words.admitEvent(held));
}

function refusal(answer: object): Refusal {
  assert.ok('refusal' in answer, JSON.stringify(answer));
  return (answer as RefusedAnswer).refusal;
}

const settle = (actors: PureActors, attempt: number, cost = '0.25') =>
  actors.ask<Settled | RefusedAnswer>(ACCOUNT, words.settleEvent(words.settlement('gen-1', cost, attempt)));
const release = (actors: PureActors, attempt: number) =>
  actors.ask<Released | RefusedAnswer>(ACCOUNT, words.releaseEvent(words.release('gen-1', attempt)));

function agree(actors: PureActors, held: string, holds: number): void {
  assert.equal([accountState(actors).held, keyState(actors).held, accountState(actors).holds], [held, held, holds]);
}

it('readmits a generation that was released with its gateway and never charged', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  lose(actors, 'inc-1');
  agree(actors, '0', 0);
  actors.now += 5_000;
  const again = admit(actors, SECOND, 'inc-2', { amount: '1.5', endpoint: 'ep_2', deadlineAt: actors.now + 90_000 });
  assert.equal(again, { admitted: true, generation: 'gen-1', attempt: SECOND, amount: '1.5' });
  agree(actors, '1.5', 1);
  const { status, gateway, endpoint, attempt, createdAt, endedAt, release: ended, moves } = row(actors);
  assert.equal(
    { status, gateway, endpoint, attempt, createdAt, endedAt, ended },
    {
      ...{ status: 'running', gateway: 'inc-2', endpoint: 'ep_2', attempt: SECOND },
      ...{ createdAt: START, endedAt: null, ended: null },
    },
  );
  assert.equal(moves, [{ attempt: FIRST, endpoint: 'ep_1', amount: '1' }]);
  assert.equal(settle(actors, SECOND), { generation: 'gen-1', cost: '0.25', late: false });
  agree(actors, '0', 0);
  assert.is(charges(actors).length, 1);
});

it('takes over a running hold and adds the difference to the sums', () => {
  const actors = open('10');
  admit(actors, FIRST, 'inc-1', { amount: '4' });
  for (const [attempt, amount] of [
    [SECOND, '6.5'],
    [THIRD, '0.5'],
  ] as const) {
    const taken = admit(actors, attempt, `inc-${attempt}`, { amount, tariff: `tariff-${attempt}` });
    assert.ok(taken.admitted);
    agree(actors, amount, 1);
    assert.is(row(actors).gateway, `inc-${attempt}`);
    assert.is(row(actors).tariff, `tariff-${attempt}`);
  }
  assert.equal(
    row(actors).moves?.map(({ amount }) => amount),
    ['4', '6.5'],
  );
});

it('a takeover is one commit, sent as a repeat or not, and its own repeat returns the recorded answer', () => {
  for (const repeat of [true, false]) {
    const actors = open();
    admit(actors, FIRST, 'inc-1');
    const held = words.request('gen-1', '2', { attempt: SECOND, gateway: 'inc-2', repeat });
    const outcome = actors.tell(KEY, words.admitEvent(held));
    assert.is(outcome.steps, repeat ? 5 : 3);
    assert.ok(outcome.durable);
    const before = [accountState(actors), keyState(actors), row(actors)];
    assert.equal(admit(actors, SECOND, 'inc-2', { amount: '9' }), outcome.reply as never, 'the recorded answer');
    assert.equal([accountState(actors), keyState(actors), row(actors)], before);
  }
});

it('the death of the old gateway leaves a taken-over hold; the death of the new one releases it', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  admit(actors, SECOND, 'inc-2');
  lose(actors, 'inc-1');
  agree(actors, '1', 1);
  assert.is(row(actors).status, 'running');
  lose(actors, 'inc-2');
  agree(actors, '0', 0);
  assert.is(row(actors).release?.attempt, SECOND);
});

it('the old deadline leaves a taken-over hold; the new one releases it', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1', { deadlineAt: START + 5_000 });
  admit(actors, SECOND, 'inc-2', { deadlineAt: START + 60_000 });
  actors.advance(5_000);
  assert.is(row(actors).status, 'running');
  agree(actors, '1', 1);
  actors.advance(55_000);
  assert.is(row(actors).status, 'released');
  agree(actors, '0', 0);
  assert.is(actors.timers.size, 0);
});

it('release, settle, raise and open of an older attempt are refused as stale (rule K60)', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  admit(actors, SECOND, 'inc-2');
  const raise = words.raiseEvent(words.request('gen-1', '2', { attempt: holdAttempt(1, 2), gateway: 'inc-1' }));
  for (const stale of [
    settle(actors, FIRST),
    release(actors, FIRST),
    actors.ask<object>(KEY, raise),
    admit(actors, FIRST, 'inc-1'),
    admit(actors, FIRST, 'inc-1', { repeat: false }),
  ]) {
    const { status, message } = refusal(stale);
    assert.equal([status, message], [409, 'Another attempt holds the money of this generation']);
  }
  agree(actors, '1', 1);
  assert.is(row(actors).attempt, SECOND);
  assert.is(accountState(actors).balance, '10');
});

it('an older attempt stays stale after the release of the newer one; a late settle of the newer one is charged', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  admit(actors, SECOND, 'inc-2');
  release(actors, SECOND);
  assert.is(refusal(settle(actors, FIRST)).status, 409);
  assert.is(refusal(admit(actors, FIRST, 'inc-1')).status, 409);
  assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 409, 'the same attempt ended');
  agree(actors, '0', 0);
  assert.equal(settle(actors, SECOND), { generation: 'gen-1', cost: '0.25', late: true }, 'its own late settle counts');
});

it('a charged generation admits no later attempt and is charged once', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  settle(actors, FIRST);
  for (const repeat of [true, false]) {
    const { status, message } = refusal(admit(actors, SECOND, 'inc-2', { repeat }));
    assert.equal([status, message], [409, 'Generation gen-1 is no longer held']);
  }
  assert.is(refusal(settle(actors, SECOND, '7')).status, 409);
  assert.equal(release(actors, SECOND), { generation: 'gen-1', status: 'settled' });
  assert.equal(settle(actors, FIRST, '7'), { generation: 'gen-1', cost: '0.25', late: false });
  assert.is(charges(actors).length, 1);
  agree(actors, '0', 0);
  assert.is(accountState(actors).balance, '9.75');
});

it('a generation charged late, after the death of its gateway, is not admitted again (rule K65)', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  lose(actors, 'inc-1');
  assert.ok((settle(actors, FIRST) as Settled).late);
  assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 409);
  assert.is(charges(actors).length, 1);
});

it('a release that overtook its admission refuses that attempt and older ones, and admits later ones', () => {
  const actors = open();
  release(actors, SECOND);
  assert.is(refusal(admit(actors, FIRST, 'inc-1')).status, 409);
  assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 409);
  assert.is(refusal(admit(actors, SECOND, 'inc-2', { repeat: false })).status, 409);
  agree(actors, '0', 0);
  assert.ok(admit(actors, THIRD, 'inc-3').admitted);
  agree(actors, '1', 1);
  actors.advance(TOMBSTONE_MS);
  assert.equal(actors.list(ACCOUNT, 'tombstone'), []);
});

it('the release of a later attempt that was never admitted refuses older ones, beside a tombstone or a released row', () => {
  for (const release1 of [
    (actors: PureActors) => release(actors, FIRST),
    (actors: PureActors) => admit(actors, FIRST, 'inc-1') && lose(actors, 'inc-1'),
    (actors: PureActors) => admit(actors, FIRST, 'inc-1'),
  ]) {
    const actors = open();
    release1(actors);
    assert.equal(release(actors, SECOND), { generation: 'gen-1', status: 'released' });
    agree(actors, '0', 0);
    assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 409);
    assert.ok('refusal' in settle(actors, FIRST), 'older than the released attempt');
    assert.ok('refusal' in settle(actors, SECOND), 'it never held');
    assert.is(charges(actors).length, 0);
    assert.ok(admit(actors, THIRD, 'inc-3').admitted);
    agree(actors, '1', 1);
  }
});

it('the cancel of a batch refuses the run that is about to hold, also after the release of an earlier run', () => {
  for (const earlier of [
    () => {},
    (actors: PureActors) => admit(actors, FIRST, 'inc-1') && lose(actors, 'inc-1'),
    (actors: PureActors) => admit(actors, FIRST, 'inc-1'),
  ]) {
    const actors = open();
    earlier(actors);
    const last = holdAttempt(2, HOLDS_PER_RUN_MAX - 1);
    actors.tell(ACCOUNT, words.releaseManyEvent(KEY, [words.release('gen-1', last)]));
    agree(actors, '0', 0);
    assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 409);
    agree(actors, '0', 0);
    assert.ok(admit(actors, THIRD, 'inc-3').admitted);
    agree(actors, '1', 1);
  }
});

it('is checked against the balance like a new hold, counting the hold it replaces', () => {
  const actors = open('10');
  admit(actors, FIRST, 'inc-1', { amount: '4' });
  actors.tell(KEY, words.admitEvent(words.request('gen-2', '5', { attempt: FIRST })));
  const short = refusal(admit(actors, SECOND, 'inc-2', { amount: '5.5' }));
  assert.equal(short.metadata, { scope: 'account', required: '5.5', available: '5', held: '5' });
  assert.is(row(actors).attempt, FIRST, 'a refused takeover leaves the hold until its gateway is dead');
  agree(actors, '9', 2);
  assert.ok(admit(actors, SECOND, 'inc-2', { amount: '5' }).admitted);
  agree(actors, '10', 2);
  release(actors, SECOND);
  actors.tell(KEY, words.admitEvent(words.request('gen-3', '3', { attempt: FIRST })));
  const outcome = actors.tell(KEY, words.admitEvent(words.request('gen-1', '3', { attempt: THIRD, repeat: true })));
  assert.equal(refusal(outcome.reply as object).metadata, {
    scope: 'account',
    required: '3',
    available: '2',
    held: '8',
  });
  assert.is(outcome.durable, false, 'a refused readmission commits nothing');
  agree(actors, '8', 2);
});

it('is refused by a suspended account like a new hold', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  actors.tell(ACCOUNT, { type: 'account.suspend', by: TESTER });
  assert.ok(admit(actors, FIRST, 'inc-1').admitted, 'the recorded answer');
  assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 401);
  assert.is(row(actors).attempt, FIRST);
  lose(actors, 'inc-1');
  assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 401);
  assert.is(refusal(admit(actors, SECOND, 'inc-2', { repeat: false })).status, 401);
  release(actors, THIRD);
  assert.is(refusal(admit(actors, SECOND, 'inc-2')).status, 409);
  agree(actors, '0', 0);
  actors.tell(ACCOUNT, { type: 'account.resume', by: TESTER });
  assert.ok(admit(actors, holdAttempt(4, 1), 'inc-4').admitted);
});

it('a generation belongs to the key that held it first', () => {
  const actors = open();
  const other = 'key:acct_1/key_2';
  actors.tell(other, words.createKeyEvent());
  admit(actors, FIRST, 'inc-1');
  for (const end of [() => {}, () => lose(actors, 'inc-1')]) {
    end();
    const held = words.request('gen-1', '1', { attempt: SECOND, repeat: true });
    assert.is(refusal(actors.ask<object>(other, words.admitEvent(held))).status, 409);
    assert.is(actors.context<KeyState>(other).held, '0');
  }
  agree(actors, '0', 0);
});

it('a turn can move to another endpoint in a later run and is charged under its last number', () => {
  const actors = open();
  admit(actors, FIRST, 'inc-1');
  admit(actors, SECOND, 'inc-2');
  const moved = words.request('gen-1', '3', { attempt: holdAttempt(2, 2), gateway: 'inc-2' });
  assert.ok(actors.ask<Admission>(KEY, words.raiseEvent(moved)).admitted);
  agree(actors, '3', 1);
  assert.is(refusal(settle(actors, SECOND)).status, 409);
  assert.not('refusal' in settle(actors, holdAttempt(2, 2)));
  agree(actors, '0', 0);
});

test.run();
