import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { CLAIM_MS, type Claim } from '../../../actors/account/idempotency.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Admission, HoldRequest, Settled } from '../../../actors/terms/hold.ts';
import type { Refusal, RefusedAnswer } from '../../../actors/terms/refusal.ts';
import { bounded } from '../../support/bounded.ts';
import { funded } from '../../support/model/funded.ts';
import type { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';

const it = bounded(test);
const SAME = { key: 'idem-1', body: 'body-1' };

const open = (deposit = '10', limit: string | null = null): PureActors => funded(deposit, { limit });

function admit(actors: PureActors, generation: string, more: Partial<HoldRequest> = {}): Refusal | 'ok' {
  const held = { attempt: 1, deadlineAt: actors.now + 660_000, idempotency: SAME, ...more };
  const answer = actors.ask<Admission>(KEY, words.admitEvent(words.request(generation, '1', held)));
  return answer.admitted ? 'ok' : answer.refusal;
}

function settle(actors: PureActors, generation: string): Settled | RefusedAnswer {
  const settlement = { ...words.settlement(generation, '0.4', 1), idempotencyKey: SAME.key };
  return actors.ask(ACCOUNT, words.settleEvent(settlement));
}

const statusOf = (answer: Refusal | 'ok'): number | 'ok' => (answer === 'ok' ? 'ok' : answer.status);
const sums = (actors: PureActors): string => {
  const { balance, held, holds } = actors.context<AccountState>(ACCOUNT);
  return `${balance} ${held} ${holds} ${actors.context<KeyState>(KEY).held}`;
};

it('the repeat of a running request is 409 with a time to come back, and holds nothing (rule K66)', () => {
  const actors = open();
  assert.is(admit(actors, 'gen-1'), 'ok');
  const before = sums(actors);
  const refused = admit(actors, 'gen-2') as Refusal;
  assert.is(refused.status, 409);
  assert.is(refused.retryAfterMs, 2_000);
  assert.equal(refused.metadata, { generation_id: 'gen-1', generation_status: 'running' });
  assert.is(sums(actors), before);
  assert.is(actors.row(ACCOUNT, 'generation', 'gen-2'), null);
});

it('the repeat of a charged request is 409 that names its generation, also without money or limit left (rule K66)', () => {
  for (const actors of [open(), open('1'), open('10', '0.4')]) {
    const limited = actors.context<KeyState>(KEY).limit !== null;
    assert.is(admit(actors, 'gen-1', limited ? { amount: '0.4' } : {}), 'ok');
    settle(actors, 'gen-1');
    const before = sums(actors);
    const refused = admit(actors, 'gen-2') as Refusal;
    assert.is(refused.status, 409);
    assert.is(refused.retryAfterMs, undefined);
    assert.equal(refused.metadata, { generation_id: 'gen-1', generation_status: 'settled' });
    assert.is(sums(actors), before);
  }
});

it('the same key with another body is 422, running or charged (rule K66)', () => {
  const actors = open();
  admit(actors, 'gen-1');
  const other = { idempotency: { ...SAME, body: 'body-2' } };
  assert.is(statusOf(admit(actors, 'gen-2', other)), 422);
  settle(actors, 'gen-1');
  const refused = admit(actors, 'gen-3', other) as Refusal;
  assert.is(refused.status, 422);
  assert.equal(refused.metadata, { generation_id: 'gen-1' });
  assert.is(admit(actors, 'gen-4', { idempotency: { ...SAME, key: 'idem-2' } }), 'ok');
});

it('a request that ended without a charge may be repeated: released, overdue, or its gateway lost (rule K66)', () => {
  const ends: Readonly<Record<string, (actors: PureActors) => void>> = {
    released: (actors) => actors.tell(ACCOUNT, words.releaseEvent(words.release('gen-1', 1))),
    overdue: (actors) => actors.advance(660_000),
    lost: (actors) => actors.tell(ACCOUNT, { type: 'gateway.lost', incarnation: 'inc-1' } as never),
  };
  for (const [name, end] of Object.entries(ends)) {
    const actors = open();
    admit(actors, 'gen-1');
    end(actors);
    assert.is(actors.row(ACCOUNT, 'claim', SAME.key), null, name);
    assert.is(admit(actors, 'gen-2'), 'ok', name);
    assert.is(actors.row<Claim>(ACCOUNT, 'claim', SAME.key)?.generation, 'gen-2', name);
  }
});

it('a charge that comes after its release, when a repeat has claimed the key, is refused: one key is charged once', () => {
  const actors = open();
  admit(actors, 'gen-1');
  actors.tell(ACCOUNT, { type: 'gateway.lost', incarnation: 'inc-1' } as never);
  admit(actors, 'gen-2', { gateway: 'inc-2' });
  assert.is((settle(actors, 'gen-1') as RefusedAnswer).refusal.status, 409);
  assert.is((settle(actors, 'gen-2') as Settled).cost, '0.4');
  assert.is(sums(actors), '9.6 0 0 0');
});

it('a late charge without a repeat is recorded, and the repeat after it is 409', () => {
  const actors = open();
  admit(actors, 'gen-1');
  actors.tell(ACCOUNT, { type: 'gateway.lost', incarnation: 'inc-1' } as never);
  assert.is((settle(actors, 'gen-1') as Settled).late, true);
  assert.equal((admit(actors, 'gen-2') as Refusal).metadata, { generation_id: 'gen-1', generation_status: 'settled' });
});

it('the second delivery of an ask, a second hold and a moved hold of the same generation keep the claim', () => {
  const actors = open();
  admit(actors, 'gen-1');
  assert.is(admit(actors, 'gen-1', { repeat: true }), 'ok');
  assert.is(admit(actors, 'gen-1', { attempt: 2, counted: true }), 'ok');
  const moved = words.request('gen-1', '2', { attempt: 3, idempotency: SAME, deadlineAt: actors.now + 660_000 });
  assert.ok(actors.ask<Admission>(KEY, words.raiseEvent(moved)).admitted);
  assert.is(sums(actors), '10 2 1 2');
  assert.is(statusOf(admit(actors, 'gen-2')), 409);
  actors.tell(ACCOUNT, words.releaseEvent(words.release('gen-1', 3)));
  assert.is(admit(actors, 'gen-2'), 'ok');
});

it('a first delivery that was lost is admitted by its second, with its claim', () => {
  const actors = open();
  assert.is(admit(actors, 'gen-1', { repeat: true }), 'ok');
  assert.is(statusOf(admit(actors, 'gen-2', { repeat: true })), 409);
});

it('a key stands for its generation for 24 hours (rule K67)', () => {
  const actors = open();
  admit(actors, 'gen-1');
  settle(actors, 'gen-1');
  actors.now += CLAIM_MS - 1;
  assert.is(statusOf(admit(actors, 'gen-2')), 409);
  actors.now += 1;
  assert.is(admit(actors, 'gen-3'), 'ok');
});

it('keeps nothing but digests, and nothing for a request without a key (rule K67)', () => {
  const actors = open();
  admit(actors, 'gen-1', { idempotency: undefined as never });
  assert.equal(actors.list(ACCOUNT, 'claim'), []);
  admit(actors, 'gen-2');
  assert.equal(actors.row(ACCOUNT, 'claim', SAME.key), {
    ...{ generation: 'gen-2', body: 'body-1', status: 'running', createdAt: START },
  });
});

test.run();
