import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { senderKind } from '../../../example-kinds/sender.ts';
import { HandClock } from '../hand-clock.ts';
import { ALL, openStage, SHARDS, type Stage, turns } from '../stage.ts';

const it = bounded(test);

async function started(): Promise<{ clock: HandClock; store: MemoryStore; stage: Stage }> {
  const clock = new HandClock();
  const store = new MemoryStore({ clock, shards: SHARDS });
  const stage = await openStage({ clock, store });
  await turns();
  return { clock, store, stage };
}

const total = async (stage: Stage, address = 'counter:a'): Promise<number> =>
  ((await stage.body(address, { type: 'read' })) as { total: number }).total;

it('fires a timer once, at its time, and removes its row with the step it causes', async () => {
  const { clock, store, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  assert.is((await store.timersOf('counter:a')).length, 1);
  await clock.advance(499);
  assert.is(await total(stage), 0);
  await clock.advance(1);
  assert.is(await total(stage), 1);
  assert.equal(await store.timersOf('counter:a'), []);
  await clock.advance(200_000);
  assert.is(await total(stage), 1);
  await stage.close();
});

it('fires only the newest of timers that replace each other', async () => {
  const { clock, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  await stage.body('counter:a', { type: 'remind', inMs: 900, by: 10 });
  await stage.body('counter:a', { type: 'remind', name: 'other', inMs: 700, by: 100 });
  await clock.advance(800);
  assert.is(await total(stage), 100);
  await clock.advance(800);
  assert.is(await total(stage), 110);
  await stage.close();
});

it('never fires a cancelled timer, not even one whose event is already queued', async () => {
  const { clock, store, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  await stage.body('counter:a', { type: 'forget' });
  assert.equal(await store.timersOf('counter:a'), []);
  await clock.advance(1_000);
  assert.is(await total(stage), 0);
  await stage.close();

  // Both fall due before the actor is loaded: the event of the second waits behind the one that cancels it.
  const again = await openStage({ clock, store });
  await again.body('counter:b', { type: 'remind', inMs: 90, name: 'first', payload: { type: 'forget' } });
  await again.body('counter:b', { type: 'remind', inMs: 100, by: 1 });
  await again.close();
  await clock.advance(200);
  const late = await openStage({ clock, store });
  await clock.advance(1);
  assert.is(await total(late, 'counter:b'), 0);
  assert.equal(await store.timersOf('counter:b'), []);
  await late.close();
});

it('writes timers that are set while the shard is being released, and does not fire them any more', async () => {
  const { clock, store, stage } = await started();
  const resume = store.pauseCommits();
  await Promise.all([
    stage.body('counter:a', { type: 'remind', inMs: 5, by: 1 }),
    stage.body('counter:a', { type: 'remind', name: 'gone', inMs: 5, by: 1 }),
    stage.body('counter:a', { type: 'forget', name: 'gone' }),
    (async () => {
      const released = stage.engine.release(shardOf('counter:a', SHARDS));
      await turns();
      await clock.advance(100);
      resume();
      await released;
    })(),
  ]);
  assert.equal(
    (await store.timersOf('counter:a')).map(({ name }) => name),
    ['tick'],
  );
  await stage.close();
});

it('does not fire a timer whose row is not durable yet', async () => {
  const { clock, store, stage } = await started();
  const resume = store.pauseCommits();
  const ask = stage.ask('counter:a', { type: 'remind', inMs: 10, by: 1 });
  await turns();
  const { steps } = stage.engine.gauges;
  await clock.advance(1_000);
  assert.is(stage.engine.gauges.steps, steps);
  resume();
  await ask;
  await clock.advance(0);
  await clock.advance(1);
  assert.is(await total(stage), 1);
  await stage.close();
});

it('fires timers that fell due while the shard had no owner, once, after adoption', async () => {
  const { clock, store, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  await stage.body('counter:a', { type: 'remind', name: 'later', inMs: 5_000, by: 10 });
  stage.engine.drop(shardOf('counter:a', SHARDS));
  await clock.advance(2_000);
  const next = await openStage({ clock, store, name: 'n2', adopt: false });
  await store.markDead(
    stage.incarnation,
    (await store.heartbeat({ incarnation: '', reaches: [], state: 'up' })).nodes[0]?.beat ?? 0,
    'test',
  );
  await next.take(ALL);
  await clock.advance(0);
  await clock.advance(1);
  assert.is(await total(next), 1);
  await clock.advance(10_000);
  assert.is(await total(next), 11);
  await next.close();
  await stage.close();
});

it('loads timers beyond its first horizon', async () => {
  const { clock, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 300_000, by: 1 });
  // The wake-up, the refill, and the periodic update of the use order.
  assert.ok(clock.armed <= 3, `${clock.armed} armed`);
  await clock.advance(299_000);
  assert.is(await total(stage), 0);
  await clock.advance(1_000);
  assert.is(await total(stage), 1);
  await stage.close();
});

it('arms a thousand timers with one wake-up', async () => {
  const { clock, stage } = await started();
  await stage.body('counter:a', { type: 'add', by: 0 });
  const armed = clock.armed;
  const asks = Array.from({ length: 1_000 }, (_, i) =>
    stage.body(`counter:acct_${i}`, { type: 'remind', inMs: 1_000 + ((i * 7) % 1_000), by: 1 }),
  );
  await Promise.all(asks);
  assert.ok(clock.armed <= armed + 1, `${clock.armed} armed`);
  await clock.advance(1_499);
  let fired = 0;
  for (let i = 0; i < 1_000; i++) fired += await total(stage, `counter:acct_${i}`);
  assert.is(fired, 500);
  await clock.advance(1_000);
  fired = 0;
  for (let i = 0; i < 1_000; i++) fired += await total(stage, `counter:acct_${i}`);
  assert.is(fired, 1_000);
  await stage.close();
});

it('retries a timer whose step throws, and stores it as a dead letter after five failures', async () => {
  const { clock, store, stage } = await started();
  const payload = { type: 'tick', poison: true };
  await stage.body('counter:a', { type: 'remind', inMs: 10, payload });
  await clock.advance(100_000);
  const failures = stage.recorded.logged.filter((record) => record.address === 'counter:a' && record.timer === 'tick');
  assert.is(failures.length, 4);
  assert.equal(await store.timersOf('counter:a'), []);
  const rows = await store.rows({ collection: '$dead-letters', address: 'counter:a', limit: 10 });
  assert.equal(
    rows.map(({ body }) => JSON.parse(body).event),
    [payload],
  );
  const error = stage.recorded.logged.find(({ level }) => level === 'error');
  assert.is(error?.address, 'counter:a');
  await stage.close();
});

it('fires all other timers when one belongs to a kind that this build does not have', async () => {
  const clock = new HandClock();
  const store = new MemoryStore({ clock, shards: SHARDS });
  const first = await openStage({ clock, store, kinds: [counterKind, senderKind] });
  await first.body('sender:a', { type: 'open' });
  await first.body('sender:a', { type: 'remind', inMs: 500 });
  await first.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  await first.body('counter:a', { type: 'remind', name: 'later', inMs: 20_000, by: 10 });
  await first.close();
  const next = await openStage({ clock, store, kinds: [counterKind], name: 'n1' });
  await turns();
  await clock.advance(30_000);
  assert.is(await total(next), 11);
  const failures = next.recorded.logged.filter(({ address }) => address === 'sender:a');
  assert.is(failures.length, 5);
  assert.match(String(failures[0]?.detail), /no kind of actor is called sender/);
  assert.is((await store.timersOf('sender:a')).length, 1);
  await next.close();
});

it('removes the timers of an actor that stops, and fires none of them', async () => {
  const { clock, store, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  await stage.body('counter:a', { type: 'stop' });
  assert.equal(await store.timersOf('counter:a'), []);
  await clock.advance(1_000);
  assert.is(stage.engine.gauges.cells, 0);
  await stage.close();
});

it('keeps a timer whose commit was refused, and fires it when the store takes writes again', async () => {
  const { clock, store, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  let refusals = 0;
  store.fault = () => {
    refusals++;
    return refusals < 3 ? { type: 'refuse', reason: 'full' } : null;
  };
  await clock.advance(500);
  await clock.advanceUntil(1, () => refusals >= 3);
  await clock.advance(10);
  assert.is(await total(stage), 1);
  assert.equal(await store.timersOf('counter:a'), []);
  await stage.close();
});

it('retries the load when the store fails', async () => {
  const { clock, store, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  await stage.close();
  const next = await openStage({ clock, store });
  store.cut = true;
  await turns();
  await clock.advance(400);
  store.cut = false;
  await clock.advance(2_000);
  assert.is(await total(next), 1);
  await next.close();
});

it('leaves nothing armed when it closes', async () => {
  const { clock, stage } = await started();
  await stage.body('counter:a', { type: 'remind', inMs: 500, by: 1 });
  await stage.close();
  assert.is(clock.armed, 0);
});

test.run();
