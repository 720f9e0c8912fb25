/** Settlement continues while a key does not load: its account settles, releases and sweeps, and the key catches up. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../actors/account/ledger.ts';
import { kinds } from '../../actors/kinds.ts';
import type { ActorEvent } from '../../actors/runtime/actor/event.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import { bounded } from '../support/bounded.ts';
import { DamagedStore } from '../support/damaged-store.ts';
import * as words from '../support/model/words.ts';
import { ACCOUNT, KEY } from '../support/model/words.ts';
import { verifyLedger } from '../support/verify-ledger.ts';
import { openStage, SHARDS, type Stage, until } from './runtime/durable/stage.ts';

const it = bounded(test);

const ask = async (stage: Stage, to: string, event: object): Promise<object> =>
  (await stage.body(to, event as ActorEvent)) as object;

const statusOf = async (store: DamagedStore): Promise<Record<string, string>> => {
  const rows = await store.rows({ collection: 'generation', address: ACCOUNT, limit: 100 });
  return Object.fromEntries(rows.map(({ id, body }) => [id, (JSON.parse(body) as { status: string }).status]));
};

const held = async (stage: Stage): Promise<string | undefined> =>
  ((await stage.engine.inspect(KEY))?.context as { readonly held: string } | undefined)?.held;

it('settles, releases and sweeps holds of a quarantined key at once, and the key has every sum after its reload', async () => {
  const store = new DamagedStore({ clock: systemClock, shards: SHARDS });
  const first = await openStage({ store, kinds });
  await ask(first, ACCOUNT, { type: 'account.create', name: 'Ada' });
  await ask(first, ACCOUNT, words.depositEvent('dep-1', '10'));
  await ask(first, KEY, words.createKeyEvent());
  const far = Date.now() + 600_000;
  const admit = (id: string, more: object): Promise<object> =>
    ask(first, KEY, words.admitEvent(words.request(id, '1', { deadlineAt: far, ...more })));
  await admit('gen-settled', {});
  await admit('gen-released', {});
  await admit('gen-overdue', { deadlineAt: Date.now() + 300 });
  await admit('gen-orphan', { gateway: 'inc-dead' });
  await admit('gen-open', {});
  await first.close();

  store.flip(KEY);
  const stage = await openStage({ store, kinds });
  assert.equal(await ask(stage, ACCOUNT, words.settleEvent(words.settlement('gen-settled', '0.25'))), {
    generation: 'gen-settled',
    cost: '0.25',
    late: false,
  });
  await ask(stage, ACCOUNT, words.releaseEvent(words.release('gen-released')));
  stage.recorded.gone.add('inc-dead');
  stage.engine.nodeDead('inc-dead');
  await until(async () => {
    const status = await statusOf(store);
    return status['gen-overdue'] === 'released' && status['gen-orphan'] === 'released';
  });
  assert.is((await statusOf(store))['gen-open'], 'running');
  const refused = await stage.ask(
    KEY,
    words.admitEvent(words.request('gen-new', '1', { deadlineAt: far })) as object as ActorEvent,
  );
  assert.ok(!refused.ok && refused.failure.code === 'quarantined');
  const entries = await store.rows({ collection: 'ledger', address: ACCOUNT, limit: 100 });
  const verdict = verifyLedger(entries.map(({ body }) => JSON.parse(body) as LedgerEntry));
  assert.ok(verdict.sound && verdict.balance === '9.75');

  store.mend();
  assert.equal(await stage.engine.reload(KEY), { outcome: 'loaded' });
  assert.is(await held(stage), '1', 'only the open hold remains');
  await ask(stage, ACCOUNT, words.settleEvent(words.settlement('gen-open', '0.5')));
  const shown = await ask(stage, KEY, { type: 'key.show' });
  assert.match(JSON.stringify(shown), /0\.75/, 'its sums include charges made during the quarantine');
  assert.is(await held(stage), '0');
  await stage.close();
});

test.run();
