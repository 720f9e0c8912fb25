import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { ALL, openStage, SHARDS, type Stage, turns, until } from '../stage.ts';

const it = bounded(test);

const open = async (stage: Stage, address: string): Promise<string[]> =>
  [...((await stage.body(address, { type: 'list' })) as string[])].sort();

const losses = async (stage: Stage, address: string): Promise<number> =>
  ((await stage.engine.inspect(address))?.transitions ?? []).filter((step) => step.event === 'node.lost').length;

async function booked(stage: Stage): Promise<void> {
  for (let i = 0; i < 12; i++) {
    const to = `register:acct_${i % 4}`;
    await stage.body(to, { type: 'put', id: `l${i}`, node: i % 3 === 0 ? 'dead-node' : 'live-node' });
  }
}

/** A node that has just adopted the booked registers, none of which is in its memory. */
async function reopened(): Promise<{ readonly store: MemoryStore; readonly stage: Stage }> {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const first = await openStage({ store });
  await booked(first);
  await first.close();
  const stage = await openStage({ store });
  await turns();
  return { store, stage };
}

const untilClosed = (stage: Stage): Promise<void> =>
  until(async () => {
    const rows = await stage.store.rows({ collection: 'line', openOnly: true, limit: 100 });
    return !rows.some((row) => row.index[0] === 'dead-node');
  });

it('notifies each actor once that the holder of its open rows is dead', async () => {
  const stage = await openStage();
  await booked(stage);
  await stage.body('register:acct_0', { type: 'put', id: 'extra', node: 'dead-node' });
  stage.recorded.gone.add('dead-node');
  stage.engine.nodeDead('dead-node');
  await untilClosed(stage);
  await turns();
  assert.equal(await open(stage, 'register:acct_0'), ['l4', 'l8']);
  assert.is(await losses(stage, 'register:acct_0'), 1);
  stage.engine.nodeDead('never-seen');
  await turns();
  assert.is(await losses(stage, 'register:acct_0'), 1);
  await stage.close();
});

it('notifies actors that are not in memory, and of rows that are not durable yet', async () => {
  const { store, stage } = await reopened();
  assert.is(stage.engine.gauges.cells, 0);
  const resume = store.pauseCommits();
  const put = stage.ask('register:new', { type: 'put', id: 'n', node: 'dead-node' });
  await turns();
  stage.engine.nodeDead('dead-node');
  resume();
  await put;
  await until(async () => (await losses(stage, 'register:acct_3')) === 1);
  assert.is(await losses(stage, 'register:new'), 1);
  assert.equal(await open(stage, 'register:new'), []);
  await stage.close();
});

it('finds the rows of nodes that died before the adoption', async () => {
  const first = await openStage();
  await booked(first);
  await first.close();
  const stage = await openStage({ store: first.store, adopt: false });
  stage.recorded.gone.add('dead-node');
  await stage.take(ALL);
  await until(async () => (await losses(stage, 'register:acct_3')) === 1);
  assert.equal(await open(stage, 'register:acct_3'), ['l11', 'l7']);
  assert.is(await losses(stage, 'register:acct_1'), 1);
  await stage.close();
});

it('reads lease rows over many pages', async () => {
  const first = await openStage();
  const puts = Array.from({ length: 2_500 }, (_, i) =>
    first.body(`register:acct_${i % 50}`, { type: 'put', id: `l${i}`, node: 'dead-node' }),
  );
  await Promise.all(puts);
  await first.close();
  const stage = await openStage({ store: first.store });
  await turns();
  stage.engine.nodeDead('dead-node');
  await until(async () => (await stage.store.rows({ collection: 'line', openOnly: true, limit: 1 })).length === 0);
  assert.is(stage.engine.gauges.cells, 50);
  await stage.close();
});

it('notifies an actor at once of a row that it opens for a dead node', async () => {
  const stage = await openStage();
  stage.recorded.gone.add('dead-node');
  await stage.body('register:a', { type: 'put', id: 'late', node: 'dead-node' });
  await until(async () => (await losses(stage, 'register:a')) === 1);
  assert.equal(await open(stage, 'register:a'), []);
  await turns();
  assert.is(await losses(stage, 'register:a'), 1);
  await stage.close();
});

it('retries when the lease rows cannot be read', async () => {
  const { store, stage } = await reopened();
  store.cut = true;
  stage.engine.nodeDead('dead-node');
  await turns();
  store.cut = false;
  await until(async () => (await losses(stage, 'register:acct_0')) === 1);
  assert.equal(await open(stage, 'register:acct_0'), ['l4', 'l8']);
  await stage.close();
});

it('notifies it again when the store refuses the resulting commit', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const stage = await openStage({ store });
  await booked(stage);
  stage.recorded.gone.add('dead-node');
  let commits = 0;
  store.fault = () => (++commits === 1 ? { type: 'refuse', reason: 'busy' } : null);
  stage.engine.nodeDead('dead-node');
  await untilClosed(stage);
  assert.equal(await open(stage, 'register:acct_0'), ['l4', 'l8']);
  assert.ok(commits > 1);
  await stage.close();
});

it('notifies it again when its actor could not be read', async () => {
  const { store, stage } = await reopened();
  const load = store.loadActor.bind(store);
  let failures = 0;
  store.loadActor = (address) => (++failures <= 4 ? Promise.reject(new Error('cut')) : load(address));
  stage.engine.nodeDead('dead-node');
  await until(async () => failures > 4 && (await losses(stage, 'register:acct_0')) === 1);
  assert.equal(await open(stage, 'register:acct_0'), ['l4', 'l8']);
  await stage.close();
});

test.run();
