/** A hold outlives its runner: how later attempts of a generation are admitted, and what earlier ones may still do. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { TOMBSTONE_MS } from '../../../actors/account/tombstone.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Admission, Generation, HoldRequest, Released, Settled } from '../../../actors/terms/hold.ts';
import { holdAttempt } from '../../../actors/terms/hold-attempt.ts';
import type { Refusal, RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { House } from '../../support/model/house.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';

const it = bounded(test, 5_000);
const FIRST = holdAttempt(1, 1);
const SECOND = holdAttempt(2, 1);
const THIRD = holdAttempt(3, 1);

function open(balance = '10'): House {
  const house = new House([accountKind(), keyKind], START);
  house.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  house.tell(ACCOUNT, words.depositEvent('dep-0', balance));
  house.tell(KEY, words.createKeyEvent());
  return house;
}

const accountState = (house: House): AccountState => house.context<AccountState>(ACCOUNT);
const keyState = (house: House): KeyState => house.context<KeyState>(KEY);
const row = (house: House) => house.row<Generation>(ACCOUNT, 'generation', 'gen-1') as Generation;
const charges = (house: House) => house.list<LedgerEntry>(ACCOUNT, 'ledger').filter(({ type }) => type === 'charge');
const lose = (house: House, incarnation: string) => house.tell(ACCOUNT, { type: 'gateway.lost', incarnation } as never);

/** The admission of a batch line: its id is older than its run, so it is sent as a possible repeat. */
function admit(house: House, attempt: number, gateway: string, more: Partial<HoldRequest> = {}): Admission {
  const held = words.request('gen-1', '1', { attempt, gateway, repeat: true, ...more });
  return house.ask<Admission>(KEY, words.admitEvent(held));
}

function refusal(answer: object): Refusal {
  assert.ok('refusal' in answer, JSON.stringify(answer));
  return (answer as RefusedAnswer).refusal;
}

const settle = (house: House, attempt: number, cost = '0.25') =>
  house.ask<Settled | RefusedAnswer>(ACCOUNT, words.settleEvent(words.settlement('gen-1', cost, attempt)));
const release = (house: House, attempt: number) =>
  house.ask<Released | RefusedAnswer>(ACCOUNT, words.releaseEvent(words.release('gen-1', attempt)));

function agree(house: House, held: string, holds: number): void {
  assert.equal([accountState(house).held, keyState(house).held, accountState(house).holds], [held, held, holds]);
}

it('readmits a generation that was released with its gateway and never charged', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  lose(house, 'inc-1');
  agree(house, '0', 0);
  house.now += 5_000;
  const again = admit(house, SECOND, 'inc-2', { amount: '1.5', endpoint: 'ep_2', deadlineAt: house.now + 90_000 });
  assert.equal(again, { admitted: true, generation: 'gen-1', attempt: SECOND, amount: '1.5' });
  agree(house, '1.5', 1);
  const { status, gateway, endpoint, attempt, createdAt, endedAt, release: ended, moves } = row(house);
  assert.equal(
    { status, gateway, endpoint, attempt, createdAt, endedAt, ended },
    {
      ...{ status: 'running', gateway: 'inc-2', endpoint: 'ep_2', attempt: SECOND },
      ...{ createdAt: START, endedAt: null, ended: null },
    },
  );
  assert.equal(moves, [{ attempt: FIRST, endpoint: 'ep_1', amount: '1' }]);
  assert.equal(settle(house, SECOND), { generation: 'gen-1', cost: '0.25', late: false });
  agree(house, '0', 0);
  assert.is(charges(house).length, 1);
});

it('takes over a running hold and adds the difference to the sums', () => {
  const house = open('10');
  admit(house, FIRST, 'inc-1', { amount: '4' });
  for (const [attempt, amount] of [
    [SECOND, '6.5'],
    [THIRD, '0.5'],
  ] as const) {
    const taken = admit(house, attempt, `inc-${attempt}`, { amount, tariff: `tariff-${attempt}` });
    assert.ok(taken.admitted);
    agree(house, amount, 1);
    assert.is(row(house).gateway, `inc-${attempt}`);
    assert.is(row(house).tariff, `tariff-${attempt}`);
  }
  assert.equal(
    row(house).moves?.map(({ amount }) => amount),
    ['4', '6.5'],
  );
});

it('a takeover is one commit, sent as a repeat or not, and its own repeat returns the recorded answer', () => {
  for (const repeat of [true, false]) {
    const house = open();
    admit(house, FIRST, 'inc-1');
    const held = words.request('gen-1', '2', { attempt: SECOND, gateway: 'inc-2', repeat });
    const outcome = house.tell(KEY, words.admitEvent(held));
    assert.is(outcome.steps, repeat ? 5 : 3);
    assert.ok(outcome.durable);
    const before = [accountState(house), keyState(house), row(house)];
    assert.equal(admit(house, SECOND, 'inc-2', { amount: '9' }), outcome.reply as never, 'the recorded answer');
    assert.equal([accountState(house), keyState(house), row(house)], before);
  }
});

it('the death of the old gateway leaves a taken-over hold; the death of the new one releases it', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  admit(house, SECOND, 'inc-2');
  lose(house, 'inc-1');
  agree(house, '1', 1);
  assert.is(row(house).status, 'running');
  lose(house, 'inc-2');
  agree(house, '0', 0);
  assert.is(row(house).release?.attempt, SECOND);
});

it('the old deadline leaves a taken-over hold; the new one releases it', () => {
  const house = open();
  admit(house, FIRST, 'inc-1', { deadlineAt: START + 5_000 });
  admit(house, SECOND, 'inc-2', { deadlineAt: START + 60_000 });
  house.advance(5_000);
  assert.is(row(house).status, 'running');
  agree(house, '1', 1);
  house.advance(55_000);
  assert.is(row(house).status, 'released');
  agree(house, '0', 0);
  assert.is(house.timers.size, 0);
});

it('release, settle, raise and open of an older attempt are refused as stale', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  admit(house, SECOND, 'inc-2');
  const raise = words.raiseEvent(words.request('gen-1', '2', { attempt: holdAttempt(1, 2), gateway: 'inc-1' }));
  for (const stale of [
    settle(house, FIRST),
    release(house, FIRST),
    house.ask<object>(KEY, raise),
    admit(house, FIRST, 'inc-1'),
    admit(house, FIRST, 'inc-1', { repeat: false }),
  ]) {
    const { status, message } = refusal(stale);
    assert.equal([status, message], [409, 'Another attempt holds the money of this generation']);
  }
  agree(house, '1', 1);
  assert.is(row(house).attempt, SECOND);
  assert.is(accountState(house).balance, '10');
});

it('an older attempt stays stale after the release of the newer one; a late settle of the newer one is charged', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  admit(house, SECOND, 'inc-2');
  release(house, SECOND);
  assert.is(refusal(settle(house, FIRST)).status, 409);
  assert.is(refusal(admit(house, FIRST, 'inc-1')).status, 409);
  assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 409, 'the same attempt ended');
  agree(house, '0', 0);
  assert.equal(settle(house, SECOND), { generation: 'gen-1', cost: '0.25', late: true }, 'its own late settle counts');
});

it('a charged generation admits no later attempt and is charged once', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  settle(house, FIRST);
  for (const repeat of [true, false]) {
    const { status, message } = refusal(admit(house, SECOND, 'inc-2', { repeat }));
    assert.equal([status, message], [409, 'Generation gen-1 is no longer held']);
  }
  assert.is(refusal(settle(house, SECOND, '7')).status, 409);
  assert.equal(release(house, SECOND), { generation: 'gen-1', status: 'settled' });
  assert.equal(settle(house, FIRST, '7'), { generation: 'gen-1', cost: '0.25', late: false });
  assert.is(charges(house).length, 1);
  agree(house, '0', 0);
  assert.is(accountState(house).balance, '9.75');
});

it('a generation charged late, after the death of its gateway, is not admitted again', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  lose(house, 'inc-1');
  assert.ok((settle(house, FIRST) as Settled).late);
  assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 409);
  assert.is(charges(house).length, 1);
});

it('a release that overtook its admission refuses that attempt and older ones, and admits later ones', () => {
  const house = open();
  release(house, SECOND);
  assert.is(refusal(admit(house, FIRST, 'inc-1')).status, 409);
  assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 409);
  assert.is(refusal(admit(house, SECOND, 'inc-2', { repeat: false })).status, 409);
  agree(house, '0', 0);
  assert.ok(admit(house, THIRD, 'inc-3').admitted);
  agree(house, '1', 1);
  house.advance(TOMBSTONE_MS);
  assert.equal(house.list(ACCOUNT, 'tombstone'), []);
});

it('the release of a later attempt that was never admitted refuses older ones, beside a tombstone or a released row', () => {
  for (const release1 of [
    (house: House) => release(house, FIRST),
    (house: House) => admit(house, FIRST, 'inc-1') && lose(house, 'inc-1'),
    (house: House) => admit(house, FIRST, 'inc-1'),
  ]) {
    const house = open();
    release1(house);
    assert.equal(release(house, SECOND), { generation: 'gen-1', status: 'released' });
    agree(house, '0', 0);
    assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 409);
    assert.ok('refusal' in settle(house, FIRST), 'older than the released attempt');
    assert.ok('refusal' in settle(house, SECOND), 'it never held');
    assert.is(charges(house).length, 0);
    assert.ok(admit(house, THIRD, 'inc-3').admitted);
    agree(house, '1', 1);
  }
});

it('rows of older builds keep their meaning: a tombstone without an attempt refuses all, a row counts unchanged', () => {
  const house = open();
  const tombstone = { generation: 'gen-1', createdAt: START, forgetAt: START + TOMBSTONE_MS };
  house.rows.set(`${ACCOUNT} tombstone gen-1`, tombstone);
  assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 409);
  assert.equal(release(house, SECOND), { generation: 'gen-1', status: 'released' });
  assert.equal(house.row(ACCOUNT, 'tombstone', 'gen-1'), tombstone);

  const other = open();
  admit(other, FIRST, 'inc-1');
  const { moves: _, ...plain } = { ...row(other), attempt: 2 } as Generation;
  other.rows.set(`${ACCOUNT} generation gen-1`, plain as never);
  assert.ok(admit(other, SECOND, 'inc-2').admitted);
  agree(other, '1', 1);
});

it('is checked against the balance like a new hold, counting the hold it replaces', () => {
  const house = open('10');
  admit(house, FIRST, 'inc-1', { amount: '4' });
  house.tell(KEY, words.admitEvent(words.request('gen-2', '5', { attempt: FIRST })));
  const short = refusal(admit(house, SECOND, 'inc-2', { amount: '5.5' }));
  assert.equal(short.metadata, { scope: 'account', required: '5.5', available: '5' });
  assert.is(row(house).attempt, FIRST, 'a refused takeover leaves the hold until its gateway is dead');
  agree(house, '9', 2);
  assert.ok(admit(house, SECOND, 'inc-2', { amount: '5' }).admitted);
  agree(house, '10', 2);
  release(house, SECOND);
  house.tell(KEY, words.admitEvent(words.request('gen-3', '3', { attempt: FIRST })));
  const outcome = house.tell(KEY, words.admitEvent(words.request('gen-1', '3', { attempt: THIRD, repeat: true })));
  assert.equal(refusal(outcome.reply as object).metadata, { scope: 'account', required: '3', available: '2' });
  assert.is(outcome.durable, false, 'a refused readmission commits nothing');
  agree(house, '8', 2);
});

it('is refused by a suspended account like a new hold', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  house.tell(ACCOUNT, { type: 'account.suspend' });
  assert.ok(admit(house, FIRST, 'inc-1').admitted, 'the recorded answer');
  assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 401);
  assert.is(row(house).attempt, FIRST);
  lose(house, 'inc-1');
  assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 401);
  assert.is(refusal(admit(house, SECOND, 'inc-2', { repeat: false })).status, 401);
  release(house, THIRD);
  assert.is(refusal(admit(house, SECOND, 'inc-2')).status, 409);
  agree(house, '0', 0);
  house.tell(ACCOUNT, { type: 'account.resume' });
  assert.ok(admit(house, holdAttempt(4, 1), 'inc-4').admitted);
});

it('a generation belongs to the key that held it first', () => {
  const house = open();
  const other = 'key:acct_1/key_2';
  house.tell(other, words.createKeyEvent());
  admit(house, FIRST, 'inc-1');
  for (const end of [() => {}, () => lose(house, 'inc-1')]) {
    end();
    const held = words.request('gen-1', '1', { attempt: SECOND, repeat: true });
    assert.is(refusal(house.ask<object>(other, words.admitEvent(held))).status, 409);
    assert.is(house.context<KeyState>(other).held, '0');
  }
  agree(house, '0', 0);
});

it('a turn can move to another endpoint in a later run and is charged under its last number', () => {
  const house = open();
  admit(house, FIRST, 'inc-1');
  admit(house, SECOND, 'inc-2');
  const moved = words.request('gen-1', '3', { attempt: holdAttempt(2, 2), gateway: 'inc-2' });
  assert.ok(house.ask<Admission>(KEY, words.raiseEvent(moved)).admitted);
  agree(house, '3', 1);
  assert.is(refusal(settle(house, SECOND)).status, 409);
  assert.not('refusal' in settle(house, holdAttempt(2, 2)));
  agree(house, '0', 0);
});

test.run();
