import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import type { Answer } from '../../../../../actors/runtime/actor/answer.ts';
import type { EngineHost } from '../../../../../actors/runtime/durable/engine.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { openStage, SHARDS, turns, until } from '../stage.ts';

const it = bounded(test);
const fresh = (): MemoryStore => new MemoryStore({ clock: systemClock, shards: SHARDS });
const seen = (body: unknown): number => (body as { seen: number }).seen;

it('answers and publishes a volatile step without a commit, and writes its state with the next commit', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  const { entries } = stage.engine.gauges;
  for (let i = 1; i <= 3; i++) assert.is(seen(await stage.body('counter:a', { type: 'peek' })), i);
  assert.is(stage.engine.gauges.entries, entries);
  assert.equal(
    stage.recorded.published.map(({ version }) => version),
    [2, 3, 4],
  );
  assert.is(JSON.parse((await stage.store.loadActor('counter:a'))?.actor.snapshot ?? '').context.seen, 0);
  await stage.body('counter:a', { type: 'add', by: 1 });
  const saved = await stage.store.loadActor('counter:a');
  assert.equal([saved?.actor.version, JSON.parse(saved?.actor.snapshot ?? '').context.seen], [5, 3]);
  await stage.close();
});

it('writes volatile state at hand-over, also that of an actor that existed only in memory', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.body('counter:a', { type: 'peek' });
  await stage.body('counter:b', { type: 'peek' });
  assert.is(await stage.store.loadActor('counter:b'), null);
  await stage.close();
  const next = await openStage({ store: stage.store });
  assert.is(seen(await next.body('counter:a', { type: 'read' })), 1);
  assert.is(seen(await next.body('counter:b', { type: 'read' })), 1);
  assert.is((await next.engine.inspect('counter:b'))?.transitions[0]?.event, 'peek');
  await next.close();
});

it('writes volatile state at hand-over of an actor that was stopped and created again', async () => {
  const store = fresh();
  const first = await openStage({ store });
  for (let i = 0; i < 5; i++) await first.body('counter:a', { type: 'add', by: 1 });
  await first.close();
  const stage = await openStage({ store });
  const stopped = stage.body('counter:a', { type: 'stop' });
  // This one waits for the end on the same cell.
  await Promise.all([stopped, stage.body('counter:a', { type: 'add', by: 1 })]);
  await stage.body('counter:a', { type: 'peek' });
  await stage.close();
  const next = await openStage({ store });
  assert.is(seen(await next.body('counter:a', { type: 'read' })), 1);
  await next.close();
});

it('writes nothing at hand-over for an actor that a refused commit rewound', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body('counter:a', { type: 'add', by: 1 });
  store.fault = () => ({ type: 'refuse', reason: 'busy' });
  assert.not((await stage.ask('counter:a', { type: 'add', by: 1 })).ok);
  store.fault = null;
  await stage.body('counter:a', { type: 'read' });
  const asked = store.commitsAsked;
  await stage.close();
  assert.is(store.commitsAsked, asked, 'its version is ahead, its state is not');
  assert.is((await store.loadActor('counter:a'))?.actor.version, 1);
});

it('holds the answer of a volatile step until the state it depends on is durable', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body('counter:a', { type: 'add', by: 1 });
  const resume = store.pauseCommits();
  const order: string[] = [];
  const add = stage.ask('counter:a', { type: 'add', by: 1 }).then(() => order.push('add'));
  const peek = stage.ask('counter:a', { type: 'peek' }).then(() => order.push('peek'));
  await turns();
  assert.equal([order, stage.recorded.published], [[], []]);
  resume();
  await Promise.all([add, peek]);
  assert.equal(order, ['add', 'peek']);
  await stage.close();
});

it('never commits an actor that was created and stopped in memory only', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'peek' });
  assert.ok((await stage.ask('counter:a', { type: 'stop' })).ok);
  assert.is(await stage.store.loadActor('counter:a'), null);
  assert.is(stage.engine.gauges.cells, 0);
  await stage.close();
});

it('releases under load: commits and answers accepted messages, answers later ones moved', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS, commitMs: 2 });
  const stage = await openStage({ store });
  const shard = shardOf('counter:acct_1', SHARDS);
  const answers: Answer[] = [];
  let going = true;
  const load = Array.from({ length: 20 }, async (_, i) => {
    while (going) {
      const answer = await stage.ask(`counter:acct_1/c${i % 5}`, { type: 'add', by: 1 });
      answers.push(answer);
      if (!answer.ok) return;
    }
  });
  await until(() => answers.length > 200);
  await stage.engine.release(shard);
  going = false;
  assert.is(stage.engine.epochOf(shard), null);
  await Promise.all(load);
  const ok = answers.filter((answer) => answer.ok).length;
  assert.ok(answers.every((answer) => answer.ok || answer.failure.code === 'moved'));
  let stored = 0;
  for (let i = 0; i < 5; i++) {
    stored += JSON.parse((await store.loadActor(`counter:acct_1/c${i}`))?.actor.snapshot ?? '').context.total;
  }
  assert.is(stored, ok);
  assert.equal(stage.recorded.lost, []);
  await stage.close();
});

it('ends a release when the fence is lost', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  const shard = shardOf('counter:a', SHARDS);
  await stage.body('counter:a', { type: 'peek' });
  await store.claim(stage.incarnation, await store.shards());
  await stage.engine.release(shard);
  assert.equal(stage.recorded.lost, [{ shard, reason: 'fence' }]);
  await stage.close();
});

it('serves one shard while another is released, and can adopt a released shard again', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  const shard = shardOf('counter:a', SHARDS);
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.engine.release(shard);
  const other = Array.from({ length: 50 }, (_, i) => `counter:b${i}`).find((to) => shardOf(to, SHARDS) !== shard);
  await stage.body(other ?? '', { type: 'add', by: 1 });
  const row = (await store.shards())[shard];
  stage.engine.adopt(shard, row?.epoch ?? 0);
  assert.is(((await stage.body('counter:a', { type: 'add', by: 1 })) as { total: number }).total, 2);
  await stage.close();
});

it('reports the time from an adoption to its first commit, at the level debug', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.body('counter:a', { type: 'add', by: 1 });
  const first = stage.recorded.logged.filter((record) => record.message === 'first commit after adoption');
  assert.equal(
    first.map(({ level }) => level),
    ['debug'],
  );
  assert.is(first[0]?.shard, shardOf('counter:a', SHARDS));
  assert.ok((first[0]?.ms as number) >= 0);
  await stage.close();
});

it('activates the actors of resident kinds when their shard is adopted', async () => {
  const kinds = [{ ...counterKind, resident: true }];
  const first = await openStage({ kinds });
  for (let i = 0; i < 5; i++) await first.body(`counter:acct_${i}`, { type: 'add', by: i });
  await first.close();
  const stage = await openStage({ kinds, store: first.store });
  await until(() => stage.recorded.published.length >= 5);
  assert.equal(stage.recorded.published.map(({ value }) => value).sort(), [0, 1, 2, 3, 4]);
  await stage.close();
});

it('shows each step of a watched actor once, and a receiver that throws stops nothing', async () => {
  const steps: string[] = [];
  const watchers: EngineHost['watchers'] = {
    isWatched: (address) => address === 'counter:a',
    committed({ address, version, event, from, to }) {
      steps.push(`${address} ${version} ${event} ${from} ${to}`);
      throw new Error('a bad receiver');
    },
  };
  const stage = await openStage({ host: { watchers } });
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.body('counter:b', { type: 'add', by: 1 });
  await stage.body('counter:a', { type: 'read' });
  await stage.body('counter:a', { type: 'finish' });
  assert.equal(steps, ['counter:a 1 add absent counting', 'counter:a 2 finish counting finished']);
  assert.is(stage.recorded.logged.filter(({ message }) => message === 'the watch callback threw').length, 2);
  await stage.close();
});

it('inspects state, rows, timers, queue, transition log and explanation, without redacted members', async () => {
  const store = fresh();
  const first = await openStage({ store });
  await first.body('counter:a', { type: 'add', by: 4 });
  await first.body('counter:a', { type: 'remind', inMs: 600_000, by: 1 });
  await first.close();
  const stage = await openStage({ store });
  assert.is(await stage.engine.inspect('counter:nobody'), null);
  assert.is(await stage.engine.inspect('nothing:a'), null);
  const resume = store.pauseCommits();
  const ask = stage.ask('counter:a', { type: 'remind', name: 'second', inMs: 700_000, by: 1 });
  const forget = stage.ask('counter:a', { type: 'forget' });
  await turns();
  const shown = await stage.engine.inspect('counter:a');
  assert.ok(shown);
  assert.equal([shown.kind, shown.shard, shown.epoch, shown.chart], ['counter', shardOf('counter:a', SHARDS), 2, 1]);
  assert.equal([shown.version, shown.durableVersion, shown.state], [4, 2, 'counting']);
  assert.is((shown.context as { address: string }).address, 'hidden');
  assert.equal(shown.explanation, ['counts 4']);
  assert.equal(
    shown.timers.map(({ name, event }) => [name, event]),
    [['second', 'tick']],
  );
  assert.equal(
    shown.transitions.map(({ version, event }) => [version, event]),
    [
      [1, 'add'],
      [2, 'remind'],
      [3, 'remind'],
      [4, 'forget'],
    ],
  );
  resume();
  await Promise.all([ask, forget]);
  await turns();
  assert.is(stage.engine.gauges.cells, 1);
  await stage.close();
});

it('inspects an actor whose kind throws in its explanation', async () => {
  const explain = (): never => {
    throw new Error('speechless');
  };
  const stage = await openStage({ kinds: [{ ...counterKind, explain }] });
  await stage.body('counter:a', { type: 'add', by: 1 });
  assert.match((await stage.engine.inspect('counter:a'))?.explanation[0] ?? '', /speechless/);
  await stage.close();
});

test.run();
