import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credential } from '../../../actors/key/credential.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import type { Admission } from '../../../actors/terms/hold.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { funded } from '../../support/model/funded.ts';
import type { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test);
const HOUR = 3_600_000;

const open = (more: Record<string, unknown> = {}): PureActors => funded('100', more);

function admit(actors: PureActors, id: string, amount: string, perMinute = 1_000): Refusal | 'ok' {
  const request = words.request(id, amount, { deadlineAt: actors.now + 48 * HOUR });
  const answer = actors.ask<Admission>(KEY, words.admitEvent(request, perMinute));
  return answer.admitted ? 'ok' : answer.refusal;
}

const statusOf = (answer: Refusal | 'ok'): number | 'ok' => (answer === 'ok' ? 'ok' : answer.status);
const count = (actors: PureActors, perMinute = 120) =>
  actors.tell(KEY, { type: 'key.count', perMinute } as never).reply as unknown as { counted?: true; refusal?: Refusal };
const settle = (actors: PureActors, id: string, cost: string) =>
  actors.tell(ACCOUNT, words.settleEvent(words.settlement(id, cost)));
const show = (actors: PureActors): KeyView => actors.ask<KeyView>(KEY, { type: 'key.show' });

it('is created with its credential row in one commit, once', () => {
  const actors = open({ name: 'first' });
  const credential = actors.row<Credential>(KEY, 'credential', 'd'.repeat(64)) as Credential;
  assert.is(credential.account, ACCOUNT);
  assert.is(credential.key, KEY);
  assert.is(credential.status, 'active');
  const again = actors.ask(KEY, words.createKeyEvent({ name: 'second', digest: 'e'.repeat(64) }));
  assert.equal(again, { key: KEY, label: 'sk-gw-v1-abc...xyz', created: false });
  assert.is(actors.list(KEY, 'credential').length, 1);
  assert.throws(() => actors.tell('key:acct_9/key_1', words.createKeyEvent()), /absent/);
  assert.throws(() => actors.tell('key:acct_1/key_2', words.createKeyEvent({ digest: 'short' })));
  assert.throws(() => actors.tell('key:acct_1/key_2', words.createKeyEvent({ limit: '-1' })));
});

it('a request that was counted with an earlier hold is not counted again', () => {
  const actors = open({ perMinute: 1 });
  assert.is(statusOf(admit(actors, 'gen-1', '1000')), 402);
  const again = {
    ...words.request('gen-1', '1', { deadlineAt: actors.now + HOUR, attempt: 2 }),
    counted: true as const,
  };
  assert.ok(actors.ask<Admission>(KEY, words.admitEvent(again, 1)).admitted);
  assert.is(show(actors).held, '1');
  assert.is(statusOf(admit(actors, 'gen-2', '1')), 429);
});

it('admits exactly its limit of requests per window of a minute, counting every kind of request (rule E13)', () => {
  const actors = open();
  for (let i = 0; i < 3; i++) assert.is(admit(actors, `gen-${i}`, '0.1', 5), 'ok');
  assert.ok(count(actors, 5).counted);
  assert.is(statusOf(admit(actors, 'gen-dear', '1000', 5)), 402);
  actors.now += 1_500;
  const refusal = admit(actors, 'gen-4', '0.1', 5) as Refusal;
  assert.is(refusal.status, 429);
  assert.equal(refusal.window, { limit: 5, resetAt: START + 60_000 });
  assert.is(count(actors, 5).refusal?.status, 429);
  assert.is(admit(actors, 'gen-5', '0.1', 6), 'ok', 'a limit raised by the configuration counts at once');
  actors.now = START + 60_000;
  assert.is(admit(actors, 'gen-6', '0.1', 5), 'ok');
});

it('its own bound overrides the configured one', () => {
  const actors = open({ perMinute: 2 });
  assert.ok(count(actors).counted);
  assert.ok(count(actors).counted);
  assert.equal(count(actors).refusal?.window, { limit: 2, resetAt: START + 60_000 });
});

it('refuses in this order: rate, credential, kind, limit (rule K8)', () => {
  const dead = { kind: 'management', limit: '0', expiresAt: START - 1 };
  const actors = open({ ...dead, perMinute: 1 });
  assert.is(statusOf(admit(actors, 'gen-1', '1')), 401);
  assert.is(statusOf(admit(actors, 'gen-1', '1')), 429);
  assert.is(statusOf(admit(open({ ...dead, expiresAt: null }), 'gen-1', '1')), 403);
  assert.is(statusOf(admit(open({ limit: '0' }), 'gen-1', '1')), 402);
});

it('commits nothing for a refused admit or a counted request', () => {
  for (const more of [{ limit: '0' }, { expiresAt: START }, { kind: 'management' }, { perMinute: 0 }]) {
    const actors = open(more);
    const outcome = actors.tell(KEY, words.admitEvent(words.request('gen-1', '1')));
    assert.is(outcome.durable, false, JSON.stringify(more));
    assert.is(actors.context<KeyState>(KEY).held, '0');
  }
  assert.is(open().tell(KEY, { type: 'key.count', perMinute: 5 } as never).durable, false);
});

it('answers the same 401 for a disabled, a revoked and an expired key (rule K4)', () => {
  const expected = {
    status: 401,
    type: 'authentication',
    message: 'Missing or invalid API key: the key that was sent is not accepted',
  };
  for (const end of ['key.disable', 'key.revoke']) {
    const actors = open();
    actors.tell(KEY, { type: end, by: TESTER });
    assert.equal(admit(actors, 'gen-1', '1'), expected);
    assert.equal(count(actors).refusal, expected);
  }
  const actors = open({ expiresAt: START + 1_000 });
  assert.is(admit(actors, 'gen-1', '1'), 'ok');
  actors.now += 1_000;
  assert.equal(admit(actors, 'gen-2', '1'), expected);
  assert.equal(count(actors).refusal, expected);
  assert.is(show(actors).status, 'expired');
});

it('can be disabled and enabled again, and revoked permanently; its row shows the status', () => {
  const actors = open();
  const rowStatus = () => actors.row<Credential>(KEY, 'credential', 'd'.repeat(64))?.status;
  actors.tell(KEY, { type: 'key.disable', by: TESTER });
  assert.is(rowStatus(), 'disabled');
  actors.tell(KEY, { type: 'key.enable', by: TESTER });
  assert.is(rowStatus(), 'active');
  assert.is(admit(actors, 'gen-1', '1'), 'ok');
  actors.tell(KEY, { type: 'key.revoke', by: TESTER });
  assert.is(rowStatus(), 'revoked');
  actors.tell(KEY, { type: 'key.enable', by: TESTER });
  assert.is(
    actors.ask<KeyView>(KEY, { type: 'key.edit', by: TESTER, edit: { limit: '5', limitWindow: null } } as never).status,
    'revoked',
  );
  assert.is(rowStatus(), 'revoked');
  settle(actors, 'gen-1', '0.5');
  assert.is(show(actors).usage, '0.5', 'running requests are still charged');
});

it('holds and charges together never exceed the limit at a grant (rule K61)', () => {
  const actors = open({ limit: '1' });
  assert.is(admit(actors, 'gen-1', '0.6'), 'ok');
  const refusal = admit(actors, 'gen-2', '0.41') as Refusal;
  assert.equal(refusal.metadata, { scope: 'key', required: '0.41', available: '0.4', held: '0.6' });
  assert.is(admit(actors, 'gen-3', '0.4'), 'ok');
  settle(actors, 'gen-1', '0.1');
  assert.is(show(actors).limitRemaining, '0.5');
  assert.is(admit(actors, 'gen-4', '0.5'), 'ok');
  actors.tell(KEY, { type: 'key.edit', by: TESTER, edit: { limit: '2', limitWindow: null } } as never);
  assert.is(admit(actors, 'gen-5', '1'), 'ok');
});

it('the exhausted key of a suspended owner is 401, for a turn and for a job, and nothing is committed (rule K4)', () => {
  const actors = open({ limit: '0' });
  const job = { type: 'job.admit', request: words.request('gen-2', '1', { gateway: null, counted: true }) };
  assert.is(statusOf(admit(actors, 'gen-1', '1')), 402);
  assert.throws(() => actors.tell(KEY, job), /"status":402/);
  actors.tell(ACCOUNT, { type: 'account.suspend', by: TESTER });
  const outcome = actors.tell(KEY, words.admitEvent(words.request('gen-1', '1')));
  const expected = {
    status: 401,
    type: 'authentication',
    message: 'Missing or invalid API key: the key that was sent is not accepted',
  };
  assert.equal([outcome.reply, outcome.durable], [{ admitted: false, refusal: expected }, false]);
  assert.throws(() => actors.tell(KEY, job), /"status":401/);
});

it('refuses a more expensive fallback beyond its limit and admits a cheaper one', () => {
  const actors = open({ limit: '1' });
  admit(actors, 'gen-1', '0.8');
  const raise = (amount: string, attempt: number): Admission =>
    actors.ask<Admission>(KEY, words.raiseEvent(words.request('gen-1', amount, { attempt })));
  const short = raise('1.1', 1);
  assert.equal(short.admitted ? null : short.refusal.metadata, { scope: 'key', required: '0.3', available: '0.2' });
  assert.ok(raise('1', 1).admitted);
  assert.is(actors.context<KeyState>(KEY).held, '1');
  assert.ok(raise('0.2', 2).admitted);
  actors.tell(KEY, { type: 'key.revoke', by: TESTER });
  assert.not(raise('0.3', 3).admitted);
});

it('its limit resets at the edge of the UTC day; a hold counts on both sides, its charge in the window of its settlement (rule K63)', () => {
  const actors = open({ limit: '1', limitWindow: 'daily' });
  const midnight = Date.UTC(2025, 10, 22);
  actors.now = midnight - 1;
  admit(actors, 'gen-1', '0.4');
  settle(actors, 'gen-1', '0.4');
  admit(actors, 'gen-2', '0.6');
  assert.is(statusOf(admit(actors, 'gen-3', '0.01')), 402);
  actors.now = midnight;
  assert.is(show(actors).limitRemaining, '0.4');
  assert.is(show(actors).limitResetAt, midnight + 24 * HOUR);
  assert.is(statusOf(admit(actors, 'gen-4', '0.41')), 402);
  settle(actors, 'gen-2', '0.5');
  const { usage, usageDaily, usageWeekly, usageMonthly } = show(actors);
  assert.equal(
    { usage, usageDaily, usageWeekly, usageMonthly },
    {
      usage: '0.9',
      usageDaily: '0.5',
      usageWeekly: '0.9',
      usageMonthly: '0.9',
    },
  );
});

it('day, week and month begin independently (rule K63)', () => {
  const actors = open();
  const spendAt = (at: number, id: string): void => {
    actors.now = at;
    admit(actors, id, '1');
    settle(actors, id, '1');
  };
  spendAt(Date.UTC(2025, 10, 28, 12), 'gen-friday');
  spendAt(Date.UTC(2025, 10, 30, 12), 'gen-sunday');
  assert.is(show(actors).usageWeekly, '2');
  spendAt(Date.UTC(2025, 11, 1, 0), 'gen-monday');
  const view = show(actors);
  assert.is(view.usage, '3');
  assert.is(view.usageDaily, '1');
  assert.is(view.usageWeekly, '1', 'Monday begins a week');
  assert.is(view.usageMonthly, '1', 'the first begins a month');
  actors.now = Date.UTC(2025, 11, 2, 0);
  assert.is(show(actors).usageDaily, '0');
  assert.is(show(actors).usageMonthly, '1');
});

it('explains an exhausted key, and hides its digest (rule N39)', () => {
  const actors = open({ limit: '12.5', limitWindow: 'daily' });
  admit(actors, 'gen-1', '12.5');
  settle(actors, 'gen-1', '12.5');
  assert.is(
    actors.explain(KEY)[1],
    'This key is exhausted: 12.5 of 12.5 USD spent in the daily window; it resets at 2025-11-22T00:00:00.000Z.',
  );
  const shown = JSON.stringify(keyKind.redact(actors.context(KEY)));
  assert.not(shown.includes('d'.repeat(64)));
  actors.tell(KEY, { type: 'key.revoke', by: TESTER });
  assert.match(actors.explain(KEY)[0] as string, /revoked for good/);
});

test.run();
