import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../../../../actors/runtime/actor/answer.ts';
import type { EngineHost } from '../../../../../actors/runtime/durable/engine.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { openStage, SHARDS, type Stage, turns, until } from '../stage.ts';

const it = bounded(test);
const fresh = (): MemoryStore => new MemoryStore({ clock: systemClock, shards: SHARDS });

/** Two durable counters whose further commits wait until `resume` is called. */
async function paused(): Promise<{ readonly stage: Stage; readonly resume: () => void }> {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.body('counter:b', { type: 'add', by: 1 });
  return { stage, resume: store.pauseCommits() };
}

it('releases no reply, publication or watched step before the commit is acknowledged (rule N5)', async () => {
  const store = fresh();
  const seen: string[] = [];
  const watchers: EngineHost['watchers'] = { isWatched: () => true, committed: ({ event }) => seen.push(event) };
  const stage = await openStage({ store, host: { watchers } });
  await stage.body('counter:a', { type: 'add', by: 1 });
  seen.length = 0;
  const resume = store.pauseCommits();
  let answer: Answer | null = null;
  stage.ask('counter:a', { type: 'publish', by: 1 }).then((given) => {
    answer = given;
  });
  await turns(20);
  assert.equal([answer, stage.recorded.published, seen], [null, [], []]);
  assert.is(stage.engine.gauges.commitsInFlight, 1);
  resume();
  await until(() => answer !== null);
  assert.equal(seen, ['publish']);
  const [value] = stage.recorded.published;
  assert.equal([value?.topic, value?.key, value?.value, value?.version], ['counters', 'counter:a', 2, 2]);
  await stage.close();
});

it('holds the reply of a step without changes until the state it read is durable', async () => {
  const { stage, resume } = await paused();
  const order: string[] = [];
  const add = stage.ask('counter:a', { type: 'add', by: 1 }).then(() => order.push('add'));
  const read = stage.ask('counter:a', { type: 'read' }).then((given) => order.push(JSON.stringify(given)));
  assert.ok((await stage.ask('counter:b', { type: 'read' })).ok, 'an actor without open entries answers at once');
  await turns(20);
  assert.equal(order, []);
  resume();
  await Promise.all([add, read]);
  assert.is(order[0], 'add');
  assert.match(String(order[1]), '"total":2');
  await stage.close();
});

it('holds absent, finished and failed answers until the state they depend on is durable', async () => {
  const { stage, resume } = await paused();
  const codes: string[] = [];
  const note = (given: Answer): void => {
    codes.push(given.ok ? 'ok' : given.failure.code);
  };
  const asks = [
    stage.ask('counter:a', { type: 'stop' }),
    stage.ask('counter:a', { type: 'read' }),
    stage.ask('counter:b', { type: 'finish' }),
    stage.ask('counter:b', { type: 'read' }),
  ].map((ask) => ask.then(note));
  await turns(20);
  assert.equal(codes, []);
  resume();
  await Promise.all(asks);
  assert.equal(codes.sort(), ['absent', 'finished', 'ok', 'ok']);
  await stage.close();
});

it('continues stepping while a batch is in flight, and writes several versions of one actor once', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body('counter:a', { type: 'add', by: 1 });
  const { commits, steps } = stage.engine.gauges;
  const resume = store.pauseCommits();
  const asks = [stage.ask('counter:a', { type: 'add', by: 1 })];
  await turns(3);
  for (let i = 0; i < 20; i++) asks.push(stage.ask('counter:a', { type: 'add', by: 1 }));
  await turns(3);
  assert.is(stage.engine.gauges.steps - steps, 21);
  assert.is(stage.engine.gauges.commits - commits, 1);
  const written: number[] = [];
  store.fault = (writes) => {
    written.push(writes.flatMap((write) => write.actors).length);
    return null;
  };
  resume();
  const totals = (await Promise.all(asks)).map((answer) => answer.ok && (answer.body as { total: number }).total);
  assert.equal(
    totals,
    Array.from({ length: 21 }, (_, i) => i + 2),
  );
  assert.is(stage.engine.gauges.commits - commits, 2);
  assert.equal(written, [1]);
  assert.is((await store.loadActor('counter:a'))?.actor.version, 22);
  await stage.close();
});

it('commits entries of one turn in one batch', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  const addresses = Array.from({ length: 30 }, (_, i) => `counter:acct_${i}`);
  await Promise.all(addresses.map((to) => stage.body(to, { type: 'add', by: 1 })));
  const before = store.commitsAsked;
  await Promise.all(addresses.map((to) => stage.body(to, { type: 'add', by: 1 })));
  assert.is(store.commitsAsked - before, 1);
  await stage.close();
});

it('keeps batches within their bounds and in order, and transition logs free of later steps', async () => {
  const store = fresh();
  const stage = await openStage({ store, limits: { commitEntriesMax: 3 } });
  await stage.body('counter:a', { type: 'add', by: 1 });
  const versions: number[] = [];
  const logLengths: number[] = [];
  store.fault = (writes) => {
    for (const { record } of writes.flatMap((write) => write.actors)) {
      versions.push(record.version);
      logLengths.push((JSON.parse(record.transitions) as unknown[]).length);
    }
    return null;
  };
  await Promise.all(Array.from({ length: 10 }, () => stage.body('counter:a', { type: 'add', by: 1 })));
  assert.equal(versions, [4, 7, 10, 11]);
  assert.equal(logLengths, versions);
  await stage.close();
});

it('keeps batches within their byte limit', async () => {
  const store = fresh();
  const stage = await openStage({ store, limits: { commitBytesMax: 2_000 } });
  const before = store.commitsAsked;
  const puts = Array.from({ length: 12 }, (_, i) => stage.body(`register:acct_${i}`, { type: 'put', id: 'l' }));
  await Promise.all(puts);
  assert.ok(store.commitsAsked - before >= 3, `${store.commitsAsked - before} commits`);
  assert.is((await store.rows({ collection: 'line', limit: 100 })).length, 12);
  await stage.close();
});

it('pauses stepping when the commit queue is full, answers busy when a start lane is full, and resumes', async () => {
  const store = fresh();
  const limits = { commitEntriesMax: 2, laneStartMax: 3, laneFinishMax: 1 };
  const stage = await openStage({ store, limits });
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.body('counter:b', { type: 'add', by: 1 });
  const resume = store.pauseCommits();
  const codes: string[] = [];
  const note = (given: Answer): void => {
    codes.push(given.ok ? 'ok' : given.failure.code);
  };
  const first = stage.ask('counter:a', { type: 'add', by: 1 }).then(note);
  await turns(3);
  // Eight entries may wait, then three messages may queue; the lane is full for the last two.
  const asks = Array.from({ length: 13 }, () => stage.ask('counter:a', { type: 'add', by: 1 }).then(note));
  await turns(3);
  assert.equal(codes, ['busy', 'busy']);
  const busy = await stage.ask('counter:a', { type: 'add', by: 1 });
  assert.ok(!busy.ok && busy.failure.code === 'busy' && busy.failure.retryAfterMs > 0);
  // The finish lane never answers busy: when it is full, it answers refused with the reason.
  const finish = stage.ask('counter:b', { type: 'finish' }).then(note);
  const full = await stage.ask('counter:b', { type: 'finish' });
  assert.ok(!full.ok && full.failure.code === 'refused' && full.failure.detail.includes('finish lane'));
  resume();
  await Promise.all([first, ...asks, finish]);
  assert.is(codes.filter((code) => code === 'ok').length, 13);
  await stage.close();
});

it('serves the finish lane before the start lane', async () => {
  const store = fresh();
  const stage = await openStage({ store, limits: { commitEntriesMax: 1 } });
  await stage.body('counter:a', { type: 'add', by: 1 });
  const resume = store.pauseCommits();
  const asks = Array.from({ length: 8 }, () => stage.ask('counter:a', { type: 'add', by: 1 }));
  await turns(3);
  const order: string[] = [];
  const late = Array.from({ length: 4 }, () =>
    stage.ask('counter:a', { type: 'add', by: 1 }).then((given) => order.push(given.ok ? 'add' : given.failure.code)),
  );
  const finish = stage.ask('counter:a', { type: 'finish' }).then(() => order.push('finish'));
  resume();
  await Promise.all([...asks, ...late, finish]);
  assert.is(order.indexOf('finish') < order.length - 1, true, order.join(' '));
  assert.ok(order.includes('finished'), order.join(' '));
  await stage.close();
});

it('values published after a refused commit have newer versions than all values published before', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body('counter:a', { type: 'add', by: 1 });
  for (let i = 0; i < 5; i++) await stage.body('counter:a', { type: 'peek' });
  const before = Math.max(...stage.recorded.published.map(({ version }) => version));
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  assert.is((await stage.ask('counter:a', { type: 'publish', by: 1 })).ok, false);
  store.fault = null;
  stage.recorded.published.length = 0;
  await stage.body('counter:a', { type: 'publish', by: 1 });
  assert.ok((stage.recorded.published[0]?.version ?? 0) > before);
  await stage.close();
});

test.run();
