import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import type { AccountView } from '../../../actors/account/statement.ts';
import { TOMBSTONE_MS } from '../../../actors/account/tombstone.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { FeedEventRow } from '../../../actors/terms/feed-event.ts';
import type { Admission, Generation } from '../../../actors/terms/hold.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test);

function open(balance = '10'): PureActors {
  const actors = new PureActors([accountKind(), keyKind, auditKind], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  if (balance !== '0') actors.tell(ACCOUNT, words.depositEvent('dep-0', balance));
  actors.tell(KEY, words.createKeyEvent());
  return actors;
}

const accountState = (actors: PureActors): AccountState => actors.context<AccountState>(ACCOUNT);
const row = (actors: PureActors, id: string) => actors.row<Generation>(ACCOUNT, 'generation', id);
const admit = (actors: PureActors, id: string, amount: string, more = {}) =>
  actors.tell(KEY, words.admitEvent(words.request(id, amount, more)));

it('is created once; a repeat changes nothing', () => {
  const actors = open();
  const before = accountState(actors);
  const answer = actors.ask<{ created: boolean; name: string }>(ACCOUNT, {
    type: 'account.create',
    name: 'Eve',
  } as never);
  assert.equal(answer, { account: ACCOUNT, name: 'Ada', created: false });
  assert.equal(accountState(actors), before);
});

it('credits a deposit once, whatever amount a repeat names (rule K46)', () => {
  const actors = open('0');
  const first = actors.ask<Record<string, unknown>>(ACCOUNT, words.depositEvent('dep-1', '2.50'));
  assert.equal(first, {
    id: 'dep-1',
    amount: '2.5',
    reason: null,
    at: START,
    sequence: 1,
    balance: '2.5',
    repeated: false,
  });
  const again = actors.tell(ACCOUNT, words.depositEvent('dep-1', '99'));
  assert.equal(again.reply, { ...first, repeated: true });
  assert.is(accountState(actors).balance, '2.5');
  assert.throws(() => actors.tell(ACCOUNT, words.depositEvent('dep-2', '-1')));
  assert.is(accountState(actors).balance, '2.5');
});

it('records an adjustment of either sign, once', () => {
  const actors = open('1');
  const event = words.adjustmentEvent('adj-1', '-0.40', 'refund of a card fee');
  actors.tell(ACCOUNT, event);
  actors.tell(ACCOUNT, event);
  assert.is(accountState(actors).balance, '0.6');
  assert.is(accountState(actors).adjustments, '-0.4');
});

it('admits in two steps and one commit; the generation row exists from then on', () => {
  const actors = open();
  const outcome = admit(actors, 'gen-1', '1.5');
  assert.equal(outcome.reply, { admitted: true, generation: 'gen-1', attempt: 0, amount: '1.5' });
  assert.is(outcome.steps, 2);
  assert.ok(outcome.durable);
  const { status, createdAt, key, settlement, endedAt, amount } = row(actors, 'gen-1') as Generation;
  assert.equal(
    { status, createdAt, key, settlement, endedAt, amount },
    { status: 'running', createdAt: START, key: KEY, settlement: null, endedAt: null, amount: '1.5' },
  );
  assert.not('repeat' in (row(actors, 'gen-1') as object));
});

it('refuses holds above balance minus open holds, with the amounts and without a commit, and the key frees its reservation (rule K54)', () => {
  const actors = open('10');
  admit(actors, 'gen-1', '8');
  const outcome = admit(actors, 'gen-2', '2.01');
  assert.equal(outcome.reply, {
    admitted: false,
    refusal: {
      status: 402,
      type: 'payment_required',
      message: 'Insufficient credit: 2 USD is available and this request may cost up to 2.01 USD',
      metadata: { scope: 'account', required: '2.01', available: '2', held: '8' },
    },
  });
  assert.is(outcome.durable, false);
  assert.is(actors.context<KeyState>(KEY).held, '8');
  assert.ok((admit(actors, 'gen-3', '2').reply as unknown as Admission).admitted);
});

it('charges exactly once, in two steps, and answers a repeat with the recorded charge (rule K55)', () => {
  const actors = open();
  admit(actors, 'gen-1', '1.5');
  const outcome = actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-1', '0.250')));
  assert.equal(outcome.reply, { generation: 'gen-1', cost: '0.25', late: false });
  assert.is(outcome.steps, 2);
  const again = actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-1', '7')));
  assert.equal(again.reply, outcome.reply);
  assert.is(accountState(actors).balance, '9.75');
  assert.is(accountState(actors).held, '0');
  assert.is(row(actors, 'gen-1')?.settlement?.cost, '0.25');
  assert.is(actors.context<KeyState>(KEY).spending.total, '0.25');
});

it('charges the exact cost above the hold and records the excess (rule K69)', () => {
  const actors = open('1');
  admit(actors, 'gen-1', '0.9');
  const answer = actors.ask(ACCOUNT, words.settleEvent(words.settlement('gen-1', '1.3')));
  assert.equal(answer, { generation: 'gen-1', cost: '1.3', late: false, overshoot: '0.4' });
  assert.is(accountState(actors).balance, '-0.3');
  assert.is(row(actors, 'gen-1')?.overshoot, '0.4');
  assert.ok(actors.explain(ACCOUNT).some((line) => line.startsWith('Alarm: 1 charges exceeded')));
  assert.is((admit(actors, 'gen-2', '0.1').reply as unknown as { refusal: { status: number } }).refusal.status, 402);
});

it('refuses to settle a stale attempt, an unknown generation and an invalid charge (rule K60)', () => {
  const actors = open();
  admit(actors, 'gen-1', '1', { attempt: 1 });
  const status = (id: string, cost: string, attempt: number): number =>
    actors.ask<RefusedAnswer>(ACCOUNT, words.settleEvent(words.settlement(id, cost, attempt))).refusal.status;
  assert.is(status('gen-1', '0.1', 0), 409);
  assert.is(status('gen-1', '0.1', 2), 409);
  assert.is(status('gen-9', '0.1', 0), 404);
  for (const bad of ['-1', 'NaN', '1e3', '', `0.${'1'.repeat(25)}`]) assert.is(status('gen-1', bad, 1), 422, bad);
  assert.is(accountState(actors).balance, '10');
  assert.is(accountState(actors).held, '1');
});

it('records a settle after the release with its exact cost, marked late (rule K81)', () => {
  const actors = open();
  admit(actors, 'gen-1', '1');
  actors.tell(ACCOUNT, words.releaseEvent(words.release('gen-1')));
  assert.is(accountState(actors).held, '0');
  const answer = actors.ask(ACCOUNT, words.settleEvent(words.settlement('gen-1', '0.5')));
  assert.equal(answer, { generation: 'gen-1', cost: '0.5', late: true });
  const generation = row(actors, 'gen-1') as Generation;
  assert.is(generation.status, 'settled');
  assert.is(generation.late, true);
  assert.ok(generation.release);
  assert.is(accountState(actors).lateSettles, 1);
  assert.is(accountState(actors).held, '0');
  assert.is(actors.context<KeyState>(KEY).held, '0');
});

it('releases once and leaves charged generations unchanged', () => {
  const actors = open();
  admit(actors, 'gen-1', '1');
  const released = words.releaseEvent(words.release('gen-1'));
  assert.equal(actors.ask(ACCOUNT, released), { generation: 'gen-1', status: 'released' });
  assert.equal(actors.ask(ACCOUNT, released), { generation: 'gen-1', status: 'released' });
  assert.is(accountState(actors).held, '0');
  admit(actors, 'gen-2', '1');
  actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-2', '0.1')));
  assert.equal(actors.ask(ACCOUNT, words.releaseEvent(words.release('gen-2'))), {
    generation: 'gen-2',
    status: 'settled',
  });
  assert.is(accountState(actors).balance, '9.9');
});

it('refuses an admission that its release has overtaken, until none can be in flight', () => {
  const actors = open();
  actors.tell(ACCOUNT, words.releaseEvent(words.release('gen-1')));
  const refused = admit(actors, 'gen-1', '1').reply as unknown as { refusal: { status: number } };
  assert.is(refused.refusal.status, 409);
  assert.is(actors.context<KeyState>(KEY).held, '0');
  assert.is(row(actors, 'gen-1'), null);
  actors.advance(TOMBSTONE_MS);
  assert.equal(actors.list(ACCOUNT, 'tombstone'), []);
  assert.is(actors.timers.size, 0);
});

it('moves a hold to another endpoint in one step, to a higher or lower amount, and only to a higher attempt (rule K58)', () => {
  const actors = open('2');
  admit(actors, 'gen-1', '1');
  const raise = (amount: string, attempt: number) =>
    actors.tell(KEY, words.raiseEvent(words.request('gen-1', amount, { attempt, endpoint: `ep_${attempt}` })));
  assert.ok((raise('1.8', 1).reply as unknown as Admission).admitted);
  assert.is(accountState(actors).held, '1.8');
  assert.is(actors.context<KeyState>(KEY).held, '1.8');
  assert.is(row(actors, 'gen-1')?.endpoint, 'ep_1');
  assert.equal(raise('9', 1).reply, { admitted: true, generation: 'gen-1', attempt: 1, amount: '1.8' });
  const short = raise('2.1', 2).reply as unknown as { refusal: { metadata: object } };
  assert.equal(short.refusal.metadata, { scope: 'account', required: '0.3', available: '0.2' });
  assert.is(row(actors, 'gen-1')?.attempt, 1);
  assert.is((raise('0.1', 0).reply as unknown as { refusal: { status: number } }).refusal.status, 409);
  assert.ok((raise('0.5', 2).reply as unknown as Admission).admitted);
  assert.is(accountState(actors).held, '0.5');
  assert.equal(row(actors, 'gen-1')?.moves, [
    { attempt: 0, endpoint: 'ep_1', amount: '1' },
    { attempt: 1, endpoint: 'ep_1', amount: '1.8' },
  ]);
  actors.tell(ACCOUNT, words.releaseEvent(words.release('gen-1', 2)));
  assert.is((raise('0.6', 3).reply as unknown as { refusal: { status: number } }).refusal.status, 409);
  assert.is(accountState(actors).held, '0');
});

it('answers a repeated admission with the record, and admits one without a record', () => {
  const actors = open();
  admit(actors, 'gen-1', '1');
  const again = admit(actors, 'gen-1', '3', { repeat: true });
  assert.equal(again.reply, { admitted: true, generation: 'gen-1', attempt: 0, amount: '1' });
  assert.is(actors.context<KeyState>(KEY).rate.count, 1);
  const lost = admit(actors, 'gen-2', '2', { repeat: true });
  assert.equal(lost.reply, { admitted: true, generation: 'gen-2', attempt: 0, amount: '2' });
  assert.is(lost.steps, 4);
  assert.is(actors.context<KeyState>(KEY).rate.count, 2);
  assert.is(actors.context<KeyState>(KEY).held, '3');
  assert.is(row(actors, 'gen-2')?.status, 'running');
});

it('never holds twice for one generation and never admits one that has ended', () => {
  const actors = open();
  admit(actors, 'gen-1', '1');
  admit(actors, 'gen-1', '1');
  assert.is(accountState(actors).held, '1');
  assert.is(actors.context<KeyState>(KEY).held, '1');
  actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-1', '0.2')));
  const again = admit(actors, 'gen-1', '1', { repeat: true }).reply as unknown as { refusal: { status: number } };
  assert.is(again.refusal.status, 409);
});

it('sweeps overdue holds with one timer for the earliest deadline (rule K56)', () => {
  const actors = open();
  const timers = () => [...actors.timers.values()].filter(({ address }) => address === ACCOUNT);
  admit(actors, 'gen-1', '1', { deadlineAt: START + 5_000 });
  admit(actors, 'gen-2', '1', { deadlineAt: START + 9_000 });
  admit(actors, 'gen-3', '1', { deadlineAt: START + 2_000 });
  assert.equal(
    timers().map(({ at }) => at),
    [START + 2_000],
  );
  actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-2', '0.1')));
  actors.advance(2_000);
  assert.is(row(actors, 'gen-3')?.status, 'released');
  assert.is(row(actors, 'gen-3')?.release?.reason, 'no outcome before its deadline');
  assert.is(timers()[0]?.at, START + 5_000);
  actors.advance(3_000);
  assert.is(row(actors, 'gen-1')?.status, 'released');
  assert.equal(timers(), []);
  assert.is(accountState(actors).nextSweepAt, null);
  assert.is(accountState(actors).held, '0');
  assert.is(actors.context<KeyState>(KEY).held, '0');
});

it('releases all holds of a dead gateway, for any number of keys, and no other holds (rule K72)', () => {
  const actors = open('1000');
  const keys = Array.from({ length: 30 }, (_, i) => `key:acct_1/many_${i}`);
  for (const [i, key] of keys.entries()) {
    actors.tell(key, words.createKeyEvent());
    for (const part of ['a', 'b']) {
      actors.tell(key, words.admitEvent(words.request(`gen-${i}${part}`, '0.5', { gateway: 'inc-2' })));
    }
  }
  admit(actors, 'gen-mine', '1', { gateway: 'inc-1' });
  const first = actors.tell(ACCOUNT, { type: 'gateway.lost', incarnation: 'inc-2' } as never);
  assert.is(first.steps, 9);
  actors.advance(0);
  assert.is(accountState(actors).held, '1');
  assert.is(accountState(actors).holds, 1);
  assert.is(row(actors, 'gen-mine')?.status, 'running');
  for (const key of keys) assert.is(actors.context<KeyState>(key).held, '0');
  assert.is(row(actors, 'gen-29b')?.release?.reason, 'the gateway that served it was lost');
});

it('admits nothing while suspended, but settles and answers running requests', () => {
  const actors = open();
  admit(actors, 'gen-1', '1');
  assert.is(actors.ask<AccountView>(ACCOUNT, { type: 'account.suspend', by: TESTER }).status, 'suspended');
  const refused = admit(actors, 'gen-2', '1').reply as unknown as { refusal: object };
  assert.equal(refused.refusal, {
    status: 401,
    type: 'authentication',
    message: 'Missing or invalid API key: the key that was sent is not accepted',
  });
  assert.is(actors.context<KeyState>(KEY).held, '1');
  assert.ok((admit(actors, 'gen-1', '1', { repeat: true }).reply as unknown as Admission).admitted);
  const counted = actors.ask<RefusedAnswer>(KEY, { type: 'key.count', perMinute: 120 } as never);
  assert.is(counted.refusal.status, 401);
  actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-1', '0.5')));
  assert.is(accountState(actors).balance, '9.5');
  assert.is(actors.ask<AccountView>(ACCOUNT, { type: 'account.resume', by: TESTER }).status, 'open');
  assert.equal(actors.ask(KEY, { type: 'key.count', perMinute: 120 } as never), { counted: true });
});

it('explains itself in sentences (rule N39)', () => {
  const actors = open('0');
  assert.match(actors.explain(ACCOUNT)[0] as string, /^Nothing is left to spend: .* 402/);
  actors.tell(ACCOUNT, words.depositEvent('dep-1', '4'));
  admit(actors, 'gen-1', '1.25');
  assert.equal(actors.explain(ACCOUNT), [
    'Balance 4 USD = 4 deposited - 0 charged + 0 adjusted; 2.75 USD can be held.',
    '1 running request holds 1.25 USD.',
    'Holds without an outcome are released from 2025-11-21T02:11:00.000Z on.',
    'The ledger has 1 entry; the newest is a deposit of 4 USD.',
  ]);
});

it('the metadata of a request is kept with its charge, and not with a release', () => {
  const actors = open();
  const metadata = '{"a":"b"}';
  for (const id of ['gen-1', 'gen-2']) admit(actors, id, '1', { metadata });
  actors.tell(ACCOUNT, words.releaseEvent(words.release('gen-1')));
  actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-2', '0.5')));
  assert.equal([row(actors, 'gen-1')?.metadata, row(actors, 'gen-2')?.metadata], [null, metadata]);
});

const notices = (actors: PureActors) => actors.row<FeedEventRow>(ACCOUNT, 'feed-event', 'acct_1');

it('a balance that falls below its threshold is noticed once, and again after it had reached it', () => {
  const actors = open();
  const spend = (id: string, cost: string): void => {
    actors.tell(KEY, words.admitEvent(words.request(id, '4')));
    actors.tell(ACCOUNT, words.settleEvent(words.settlement(id, cost)));
    actors.advance(1);
  };
  const { balance } = actors.ask<AccountView>(ACCOUNT, { type: 'account.show' });
  assert.is(balance, '10');
  actors.tell(ACCOUNT, { type: 'notice.set', by: TESTER, lowBalance: '7.00' } as never);
  spend('gen-1', '3');
  assert.is(notices(actors), null, 'at the threshold is not below it');
  spend('gen-2', '0.000000000000000000000001');
  const first = notices(actors);
  assert.equal(
    [first?.type, first?.object],
    ['balance.low', { balance: '6.999999999999999999999999', threshold: '7' }],
  );
  spend('gen-3', '1');
  assert.equal(notices(actors), first, 'one notice per crossing');
  actors.tell(ACCOUNT, words.depositEvent('dep-up', '2'));
  spend('gen-4', '1.5');
  assert.equal(notices(actors)?.object, { balance: '6.499999999999999999999999', threshold: '7' });
  actors.tell(ACCOUNT, words.depositEvent('dep-up-2', '2'));
  const taken = words.adjustmentEvent('adj-1', '-5');
  actors.tell(ACCOUNT, taken);
  assert.equal(notices(actors)?.object, { balance: '3.499999999999999999999999', threshold: '7' });
});

it('a threshold above the balance is noticed when it is set, and one that is removed never', () => {
  const actors = open();
  actors.tell(ACCOUNT, { type: 'notice.set', by: TESTER, lowBalance: '11' } as never);
  assert.equal(notices(actors)?.object, { balance: '10', threshold: '11' });
  actors.tell(ACCOUNT, { type: 'notice.set', by: TESTER, lowBalance: null } as never);
  actors.advance(1);
  const before = notices(actors);
  actors.tell(ACCOUNT, words.adjustmentEvent('adj-1', '-5'));
  assert.equal(notices(actors), before);
});

test.run();
