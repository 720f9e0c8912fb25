/**
 * When a quarantined account loads again, deferred settles run before the events that would end their holds otherwise.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../actors/account/ledger.ts';
import { kinds } from '../../actors/kinds.ts';
import type { ActorEvent } from '../../actors/runtime/actor/event.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { bounded } from '../support/bounded.ts';
import { DamagedStore } from '../support/damaged-store.ts';
import * as words from '../support/model/words.ts';
import { ACCOUNT, KEY } from '../support/model/words.ts';
import { verifyLedger } from '../support/verify-ledger.ts';
import { ALL, openStage, SHARDS, type Stage, until } from './runtime/durable/stage.ts';

const it = bounded(test);

const body = async (stage: Stage, to: string, event: object): Promise<object> =>
  (await stage.body(to, event as ActorEvent)) as object;

it('a deferred settle runs before the death of its gateway and before its own deadline: in time, with the exact cost', async () => {
  const store = new DamagedStore({ clock: systemClock, shards: SHARDS });
  const first = await openStage({ store, kinds });
  await body(first, ACCOUNT, { type: 'account.create', name: 'Ada' });
  await body(first, ACCOUNT, words.depositEvent('dep-1', '10'));
  await body(first, KEY, words.createKeyEvent());
  const held = words.request('gen-1', '1', { gateway: 'inc-dead', deadlineAt: Date.now() + 300 });
  await body(first, KEY, words.admitEvent(held));
  await first.close();

  store.flip(ACCOUNT);
  const second = await openStage({ store, kinds });
  const answer = await second.ask(
    ACCOUNT,
    words.settleEvent(words.settlement('gen-1', '0.25')) as object as ActorEvent,
  );
  assert.ok(!answer.ok && answer.failure.code === 'quarantined' && answer.failure.deferred);
  await second.close();

  store.mend();
  await until(() => Date.now() > held.deadlineAt);
  const third = await openStage({ store, kinds, adopt: false });
  third.recorded.gone.add('inc-dead');
  await third.take(ALL);
  const generation = async (): Promise<Generation> =>
    JSON.parse(
      (await store.row({ address: ACCOUNT, collection: 'generation', id: 'gen-1' }))?.body ?? '{}',
    ) as Generation;
  await until(async () => (await generation()).status !== 'running');
  await body(third, ACCOUNT, { type: 'account.show' });
  const { status, late, release, settlement } = await generation();
  assert.equal([status, late, release, settlement?.cost], ['settled', false, null, '0.25']);
  const entries = await store.rows({ collection: 'ledger', address: ACCOUNT, limit: 100 });
  const verdict = verifyLedger(entries.map(({ body: text }) => JSON.parse(text) as LedgerEntry));
  assert.ok(verdict.sound && verdict.balance === '9.75');
  await third.close();
});

test.run();
