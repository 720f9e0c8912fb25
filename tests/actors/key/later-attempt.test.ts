/** The checks and counts of a key when another attempt of one generation requests its hold. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Admission } from '../../../actors/terms/hold.ts';
import { holdAttempt } from '../../../actors/terms/hold.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { funded } from '../../support/model/funded.ts';
import type { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';

const it = bounded(test);

const open = (more: Record<string, unknown> = {}): PureActors => funded('100', more);

function run(actors: PureActors, attempt: number, amount: string, id = 'gen-1', perMinute = 1_000): Refusal | 'ok' {
  const held = words.request(id, amount, { attempt: holdAttempt(attempt, 1), gateway: `inc-${attempt}`, repeat: true });
  const answer = actors.ask<Admission>(KEY, words.admitEvent(held, perMinute));
  return answer.admitted ? 'ok' : answer.refusal;
}

const keyState = (actors: PureActors): KeyState => actors.context<KeyState>(KEY);
const statusOf = (answer: Refusal | 'ok'): number | 'ok' => (answer === 'ok' ? 'ok' : answer.status);
const settle = (actors: PureActors, attempt: number, cost: string) =>
  actors.tell(ACCOUNT, words.settleEvent(words.settlement('gen-1', cost, holdAttempt(attempt, 1))));

it('a limit used up by the generation itself admits its next run, which takes over the hold', () => {
  const actors = open({ limit: '1' });
  assert.is(run(actors, 1, '1'), 'ok');
  assert.is(run(actors, 2, '1'), 'ok');
  assert.is(keyState(actors).held, '1');
  assert.is(run(actors, 3, '0.4'), 'ok');
  assert.is(keyState(actors).held, '0.4');
  assert.is(run(actors, 1, '0.6', 'gen-2'), 'ok', 'the freed amount can be held again');
});

it('a limit is checked including the replaced hold; the refusal has the amounts of a new hold', () => {
  const actors = open({ limit: '1' });
  run(actors, 1, '0.3');
  run(actors, 1, '0.5', 'gen-2');
  const short = run(actors, 2, '0.6') as Refusal;
  assert.equal(short.metadata, { scope: 'key', required: '0.6', available: '0.5', held: '0.5' });
  assert.is(keyState(actors).held, '0.8');
  assert.is(run(actors, 2, '0.5'), 'ok');
  assert.is(keyState(actors).held, '1');
});

it('after a release a limit is checked as for a new hold; a suspended owner is 401, whatever the limit', () => {
  const actors = open({ limit: '1' });
  run(actors, 1, '0.9');
  actors.tell(ACCOUNT, { type: 'gateway.lost', incarnation: 'inc-1' } as never);
  assert.is(keyState(actors).held, '0');
  const short = run(actors, 2, '1.1') as Refusal;
  assert.equal(short.metadata, { scope: 'key', required: '1.1', available: '1' });
  actors.tell(ACCOUNT, { type: 'account.suspend', by: TESTER });
  for (const amount of ['1.1', '1']) assert.is(statusOf(run(actors, 2, amount)), 401);
  actors.tell(ACCOUNT, { type: 'account.resume', by: TESTER });
  assert.is(run(actors, 2, '1'), 'ok');
  assert.is(keyState(actors).held, '1');
});

it('each admitted run counts as a request; the repeat of an admission does not', () => {
  const actors = open();
  run(actors, 1, '1');
  run(actors, 1, '1');
  assert.is(keyState(actors).rate.count, 1);
  run(actors, 2, '1');
  run(actors, 2, '1');
  assert.is(keyState(actors).rate.count, 2);
  assert.is(statusOf(run(actors, 3, '1', 'gen-1', 2)), 429);
  assert.is(keyState(actors).held, '1', 'a refused run leaves the earlier hold until its gateway is dead');
});

it('a request that was counted and refused for money counts once, also in a full rate window', () => {
  const actors = open();
  const hold = (attempt: number, amount: string, more = {}) =>
    actors.ask<Admission>(KEY, words.admitEvent(words.request('gen-1', amount, { attempt, ...more }), 1));
  assert.is(hold(1, '1000').admitted, false);
  assert.is(hold(2, '1', { counted: true }).admitted, true);
  assert.is(keyState(actors).rate.count, 1);
  assert.is(keyState(actors).held, '1');
});

it('a run is refused when its key was disabled, revoked or has expired, and the earlier hold is unchanged', () => {
  for (const end of ['key.disable', 'key.revoke']) {
    const actors = open();
    run(actors, 1, '1');
    actors.tell(KEY, { type: end, by: TESTER });
    assert.is(statusOf(run(actors, 2, '1')), 401);
    assert.is(run(actors, 1, '1'), 'ok', 'the recorded answer');
    assert.is(keyState(actors).held, '1');
  }
  const actors = open({ expiresAt: START + 1_000 });
  run(actors, 1, '1');
  actors.now += 1_000;
  assert.is(statusOf(run(actors, 2, '1')), 401);
  assert.is(statusOf(run(open({ kind: 'management' }), 2, '1')), 403);
});

it('spends once, for the charged run, and holds nothing afterwards', () => {
  const actors = open({ limit: '5', limitWindow: 'daily' });
  run(actors, 1, '1');
  run(actors, 2, '2');
  settle(actors, 1, '0.9');
  assert.equal([keyState(actors).held, keyState(actors).spending.total], ['2', '0']);
  settle(actors, 2, '0.7');
  settle(actors, 2, '0.7');
  assert.equal([keyState(actors).held, keyState(actors).spending.total], ['0', '0.7']);
  assert.is(statusOf(run(actors, 3, '1')), 409);
  assert.equal([keyState(actors).held, keyState(actors).spending.total], ['0', '0.7']);
});

test.run();
