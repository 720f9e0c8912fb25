import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { openStage, SHARDS, type Stage, turns } from '../stage.ts';

const it = bounded(test);
const A = 'purse:acct_1/a';
const B = 'purse:acct_1/b';

async function filled(a = 100, b = 0, options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const stage = await openStage(options);
  await stage.body(A, { type: 'fill', amount: a });
  await stage.body(B, { type: 'fill', amount: b });
  return stage;
}

const amounts = async (stage: Stage): Promise<unknown[]> => [
  await stage.body(A, { type: 'show' }),
  await stage.body(B, { type: 'show' }),
];

const stored = async (stage: Stage, address: string): Promise<unknown> =>
  JSON.parse((await stage.store.loadActor(address))?.actor.snapshot ?? '{"context":{}}').context.amount;

it('steps the messages of a step in the same entry, and any step of the cascade may answer the ask', async () => {
  const stage = await filled();
  const { entries } = stage.engine.gauges;
  assert.is(await stage.body(A, { type: 'pay', to: B, amount: 30 }), 30);
  assert.is(stage.engine.gauges.entries, entries + 1);
  assert.equal(await amounts(stage), [70, 30]);
  assert.equal([await stored(stage, A), await stored(stage, B)], [70, 30]);
  await stage.close();
});

it('discards the whole cascade when a later step throws', async () => {
  const stage = await filled(2_000_000);
  const answer = await stage.ask(A, { type: 'pay', to: B, amount: 1_500_000 });
  assert.ok(!answer.ok && answer.failure.code === 'failed' && answer.failure.detail.includes('overflows'));
  assert.equal(await amounts(stage), [2_000_000, 0]);
  assert.is(await stored(stage, A), 2_000_000);
  await stage.close();
});

it('discards a cascade that exceeds its step limit, however often its actors changed', async () => {
  const stage = await filled(0);
  const fine = await stage.ask(A, { type: 'bounce', to: B, amount: 1, left: 15 });
  assert.ok(fine.ok, JSON.stringify(fine));
  const before = await amounts(stage);
  const answer = await stage.ask(A, { type: 'bounce', to: B, amount: 1, left: 16 });
  assert.ok(!answer.ok && answer.failure.code === 'failed' && answer.failure.detail.includes('more than 16 steps'));
  assert.equal(await amounts(stage), before);
  await stage.close();
});

it('loads an actor that is not in memory and steps the event again', async () => {
  const first = await filled();
  await first.close();
  const stage = await openStage({ store: first.store });
  assert.is(stage.engine.gauges.cells, 0);
  assert.is(await stage.body(A, { type: 'pay', to: B, amount: 25 }), 25);
  assert.equal(await amounts(stage), [75, 25]);
  await stage.close();
});

it('waits for an actor that loads slowly, and reads no row meanwhile, whatever row an earlier step read', async () => {
  const first = await filled();
  const { store } = first;
  await first.body('register:a', { type: 'put', id: 'x' });
  await first.close();
  const stage = await openStage({ store });
  await stage.body(A, { type: 'show' });
  assert.is(await stage.body('register:a', { type: 'line', id: 'never' }), null);
  let rowsRead = 0;
  const [row, loadActor] = [store.row.bind(store), store.loadActor.bind(store)];
  store.row = (key) => {
    rowsRead++;
    return row(key);
  };
  store.loadActor = async (address) => {
    for (let i = 0; i < 100; i++) await turns();
    return loadActor(address);
  };
  assert.is(await stage.body(A, { type: 'pay', to: B, amount: 25 }), 25);
  assert.is(rowsRead, 0);
  await stage.close();
});

it('fails when it reaches an absent actor that the event does not create, and keeps no cell of it', async () => {
  const stage = await filled();
  const answer = await stage.ask(A, { type: 'pay', to: 'purse:acct_1/nobody', amount: 1 });
  assert.ok(!answer.ok && answer.failure.code === 'failed' && answer.failure.detail.includes('nobody is absent'));
  assert.equal(await amounts(stage), [100, 0]);
  await turns();
  assert.is(stage.engine.gauges.cells, 2);
  await stage.close();
});

it('creates an absent actor on an event that creates it, and keeps it', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const stage = await filled(100, 0, { store });
  const heir = 'purse:acct_1/heir';
  const resume = store.pauseCommits();
  const asks = [
    stage.body(A, { type: 'endow', to: heir, amount: 40 }),
    stage.body(A, { type: 'pay', to: heir, amount: 2 }),
  ];
  await turns();
  asks.push(stage.body(heir, { type: 'show' }));
  await turns();
  resume();
  assert.equal(await Promise.all(asks), [40, 42, 42]);
  assert.equal([await stored(stage, A), await stored(stage, heir)], [58, 42]);
  assert.equal(stage.recorded.lost, []);
  await stage.close();
});

it('fails with a clear message when a step sends to another shard, an unknown kind or an invalid address', async () => {
  const stage = await filled();
  const elsewhere = Array.from({ length: 50 }, (_, i) => `purse:acct_${i}/x`).find(
    (address) => shardOf(address, SHARDS) !== shardOf(A, SHARDS),
  );
  for (const [to, why] of [
    [String(elsewhere), 'another shard'],
    ['nothing:acct_1/a', 'no kind of actor'],
    ['purse', 'no address'],
  ] as const) {
    const answer = await stage.ask(A, { type: 'pay', to, amount: 1 });
    assert.ok(!answer.ok && answer.failure.code === 'failed' && answer.failure.detail.includes(why), why);
  }
  assert.equal(await amounts(stage), [100, 0]);
  await stage.close();
});

it('steps messages of a cascade ahead of the queued messages of their actors', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const stage = await filled(100, 0, { store });
  const order: string[] = [];
  const note = (name: string) => (): void => {
    order.push(name);
  };
  const at = { deadline: Number.MAX_VALUE };
  const resume = store.pauseCommits();
  stage.engine.deliver({ to: A, event: { type: 'pay', to: B, amount: 10 }, ...at }, note('pay'));
  stage.engine.deliver({ to: B, event: { type: 'show' }, ...at }, note('show'));
  resume();
  await turns();
  assert.equal(order, ['pay', 'show']);
  await stage.close();
});

it('moves money back and forth between many purses without loss (rule N10)', async () => {
  const stage = await openStage();
  const purses = Array.from({ length: 6 }, (_, i) => `purse:acct_1/p${i}`);
  for (const purse of purses) await stage.body(purse, { type: 'fill', amount: 100 });
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const pays = Array.from({ length: 500 }, () => {
    const [from, to] = [purses[next(6)] as string, purses[next(6)] as string];
    return stage.ask(from, { type: 'pay', to, amount: next(150) });
  });
  const answers = await Promise.all(pays);
  assert.ok(answers.every((answer) => answer.ok));
  assert.ok(answers.some((answer) => answer.ok && answer.body === 'short'));
  let total = 0;
  for (const purse of purses) total += Number(await stored(stage, purse));
  assert.is(total, 600);
  await stage.close();
});

test.run();
