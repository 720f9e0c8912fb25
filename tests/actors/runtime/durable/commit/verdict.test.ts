import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import type { Answer } from '../../../../../actors/runtime/actor/answer.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { type CommitFault, MemoryStore } from '../../../../support/memory-store.ts';
import { ALL, openStage, SHARDS, type Stage, turns, until } from '../stage.ts';

const it = bounded(test);
const fresh = (): MemoryStore => new MemoryStore({ clock: systemClock, shards: SHARDS });

const HERE = 'counter:acct_0';
const THERE = Array.from({ length: 50 }, (_, i) => `counter:acct_${i}`).find(
  (address) => shardOf(address, SHARDS) !== shardOf(HERE, SHARDS),
) as string;
const SHARD = shardOf(HERE, SHARDS);

const code = (answer: Answer): string => (answer.ok ? 'ok' : answer.failure.code);
const total = async (stage: Stage, address: string): Promise<number> =>
  ((await stage.body(address, { type: 'read' })) as { total: number }).total;

async function started(): Promise<{ stage: Stage; store: MemoryStore }> {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body(HERE, { type: 'add', by: 1 });
  await stage.body(THERE, { type: 'add', by: 1 });
  return { stage, store };
}

const once = (fault: CommitFault): MemoryStore['fault'] => {
  let refused = false;
  return () => {
    if (refused) return null;
    refused = true;
    return fault;
  };
};

it('drops a fenced shard whole, answers moved, notifies the host, and leaves other shards unaffected (rule N2)', async () => {
  const { stage, store } = await started();
  const rival = store.connect();
  const node = { name: 'n2', incarnation: 'rival', address: '', operatorUrl: '', pid: 2, host: 'test' };
  await rival.register(node);
  await rival.heartbeat({ incarnation: 'rival', reaches: [], state: 'up' });
  const row = (await rival.shards())[SHARD];
  assert.ok(row);
  await rival.give(row, 'rival');
  const resume = store.pauseCommits();
  const inFlight = [stage.ask(HERE, { type: 'add', by: 1 }), stage.ask(THERE, { type: 'add', by: 1 })];
  await turns(3);
  const waiting = [stage.ask(HERE, { type: 'add', by: 1 }), stage.ask(HERE, { type: 'read' })];
  await turns(3);
  resume();
  assert.equal((await Promise.all(inFlight)).map(code), ['moved', 'ok']);
  assert.equal((await Promise.all(waiting)).map(code), ['moved', 'moved']);
  assert.equal(stage.recorded.lost, [{ shard: SHARD, reason: 'fence' }]);
  assert.is(stage.engine.epochOf(SHARD), null);
  assert.is(code(await stage.ask(HERE, { type: 'read' })), 'moved');
  assert.is(await total(stage, THERE), 2);
  await stage.close();
});

it('drops a shard when a version check fails (rule N3)', async () => {
  const { stage, store } = await started();
  const saved = await store.loadActor(HERE);
  assert.ok(saved);
  const row = (await store.shards())[SHARD];
  assert.ok(row?.owner);
  const nothing = { stopped: [], rowsPut: [], rowsRemoved: [], rowsTrimmed: [], timersSet: [], timersCancelled: [] };
  const record = { ...saved.actor, version: 9 };
  await store.commit([
    { shard: SHARD, owner: row.owner, epoch: row.epoch, actors: [{ record, expected: 1 }], ...nothing },
  ]);
  assert.is(code(await stage.ask(HERE, { type: 'add', by: 1 })), 'moved');
  assert.equal(stage.recorded.lost, [{ shard: SHARD, reason: 'version' }]);
  await stage.close();
});

it('drops every shard of a batch with an unknown outcome, and loads the stored state on adoption', async () => {
  for (const [fault, expected] of [
    ['fail', 1],
    ['lose-acknowledgement', 3],
  ] as const) {
    const { stage, store } = await started();
    const resume = store.pauseCommits();
    store.fault = once({ type: fault });
    const asks = [HERE, THERE, HERE].map((to) => stage.ask(to, { type: 'add', by: 1 }));
    await turns(3);
    const waiting = stage.ask(HERE, { type: 'add', by: 1 });
    resume();
    assert.equal((await Promise.all(asks)).map(code), ['lost', 'lost', 'lost']);
    assert.is(code(await waiting), 'moved');
    const shards = [SHARD, shardOf(THERE, SHARDS)].sort();
    assert.equal(
      stage.recorded.lost.map(({ shard, reason }) => [shard, reason]).sort(),
      shards.map((shard) => [shard, 'unknown']),
    );
    await stage.take(ALL);
    assert.is(await total(stage, HERE), expected);
    await stage.close();
  }
});

it('discards memory ahead of the store when a commit was refused, answers refused, and keeps the epoch', async () => {
  const { stage, store } = await started();
  const epoch = stage.engine.epochOf(SHARD);
  const resume = store.pauseCommits();
  store.fault = once({ type: 'refuse', reason: 'full' });
  const first = stage.ask(HERE, { type: 'add', by: 10 });
  await turns(3);
  const second = stage.ask(HERE, { type: 'add', by: 100 });
  const third = stage.ask(HERE, { type: 'read' });
  resume();
  assert.equal([code(await first), code(await second), code(await third)], ['refused', 'refused', 'refused']);
  assert.equal(stage.recorded.lost, []);
  assert.is(stage.engine.epochOf(SHARD), epoch);
  assert.is(await total(stage, HERE), 1);
  assert.is(((await stage.body(HERE, { type: 'add', by: 1 })) as { total: number }).total, 2);
  await stage.close();
});

it('steps the messages that were still queued at a refused commit, on the stored state', async () => {
  const store = fresh();
  const stage = await openStage({ store, limits: { commitEntriesMax: 1 } });
  await stage.body(HERE, { type: 'add', by: 1 });
  const resume = store.pauseCommits();
  store.fault = once({ type: 'refuse', reason: 'busy' });
  const early = Array.from({ length: 5 }, () => stage.ask(HERE, { type: 'add', by: 100 }));
  await turns(3);
  const late = Array.from({ length: 3 }, () => stage.ask(HERE, { type: 'add', by: 1 }));
  resume();
  assert.ok((await Promise.all(early)).every((answer) => code(answer) === 'refused'));
  assert.ok((await Promise.all(late)).every((answer) => answer.ok));
  assert.is(await total(stage, HERE), 4);
  await stage.close();
});

it('answers refused while loads fail, and serves again when they succeed', async () => {
  const { stage, store } = await started();
  store.cut = true;
  assert.is(code(await stage.ask('counter:acct_77', { type: 'add', by: 1 })), 'refused');
  assert.is(code(await stage.ask(HERE, { type: 'add', by: 1 })), 'refused');
  store.cut = false;
  assert.is(code(await stage.ask('counter:acct_77', { type: 'add', by: 1 })), 'ok');
  assert.is(await total(stage, HERE), 1);
  await stage.close();
});

it('refuses state that is not valid JSON and commits the other shards', async () => {
  const { stage } = await started();
  const broken = stage.ask(HERE, { type: 'break' });
  const fine = stage.ask(THERE, { type: 'add', by: 1 });
  const answer = await broken;
  assert.ok(!answer.ok && answer.failure.code === 'failed' && answer.failure.detail.includes('BigInt'));
  assert.ok((await fine).ok);
  assert.is(await total(stage, HERE), 1);
  await stage.close();
});

it('quarantines an actor whose snapshot does not restore, and never overwrites it (rule N11)', async () => {
  const { stage, store } = await started();
  await stage.close();
  const saved = await store.loadActor(HERE);
  assert.ok(saved);
  const row = (await store.shards())[SHARD];
  assert.ok(row?.owner);
  const nothing = { stopped: [], rowsPut: [], rowsRemoved: [], rowsTrimmed: [], timersSet: [], timersCancelled: [] };
  const snapshot = JSON.stringify({ value: 'elsewhere', context: {}, status: 'active' });
  const record = { ...saved.actor, version: 2, snapshot };
  await store.commit([
    { shard: SHARD, owner: row.owner, epoch: row.epoch, actors: [{ record, expected: 1 }], ...nothing },
  ]);
  const again = await openStage({ store });
  const answer = await again.ask(HERE, { type: 'add', by: 1 });
  assert.ok(!answer.ok && answer.failure.code === 'quarantined' && answer.failure.detail.includes('elsewhere'));
  assert.is((await again.engine.inspect(HERE))?.state, 'quarantined');
  assert.is((await store.loadActor(HERE))?.actor.snapshot, snapshot);
  assert.ok(again.recorded.logged.some((record) => record.level === 'error' && record.address === HERE));
  await again.close();
});

it('answers waiting messages of a dropped shard: lost for entries in flight, moved for all others', async () => {
  const { stage, store } = await started();
  const resume = store.pauseCommits();
  const inFlight = stage.ask(HERE, { type: 'add', by: 1 });
  await turns(3);
  const waiting = stage.ask(HERE, { type: 'add', by: 1 });
  const loading = stage.ask('counter:acct_0/other', { type: 'add', by: 1 });
  stage.engine.drop(SHARD);
  assert.equal([code(await inFlight), code(await waiting), code(await loading)], ['lost', 'moved', 'moved']);
  resume();
  await turns();
  assert.equal(stage.recorded.lost, []);
  await stage.take(ALL);
  assert.is(await total(stage, HERE), 2);
  await stage.close();
});

it('ignores results of an older epoch', async () => {
  const { stage, store } = await started();
  const resume = store.pauseCommits();
  const old = stage.ask(HERE, { type: 'add', by: 1 });
  await turns(3);
  const rows = await store.claim(stage.incarnation, await store.shards());
  for (const row of rows) stage.engine.adopt(row.shard, row.epoch);
  assert.is(code(await old), 'lost');
  const anew = stage.ask(HERE, { type: 'add', by: 1 });
  resume();
  assert.ok((await anew).ok);
  assert.equal(stage.recorded.lost, []);
  assert.is(await total(stage, HERE), 2);
  await until(() => stage.engine.gauges.commitsInFlight === 0);
  await stage.close();
});

test.run();
