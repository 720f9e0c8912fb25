import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../../support/bounded.ts';
import { ALL, openStage, turns } from '../stage.ts';

const it = bounded(test);

it('answers an ask with the reply of the step, and keeps the state', async () => {
  const stage = await openStage();
  assert.is(((await stage.body('counter:a', { type: 'add', by: 2 })) as { total: number }).total, 2);
  assert.is(((await stage.body('counter:a', { type: 'add', by: 3 })) as { total: number }).total, 5);
  const stored = await stage.store.loadActor('counter:a');
  assert.is(stored?.actor.version, 2);
  assert.equal(JSON.parse(stored?.actor.snapshot ?? '{}').context.total, 5);
  await stage.close();
});

it('answers absent to an event that creates nothing, and keeps no cell', async () => {
  const stage = await openStage();
  assert.equal(await stage.ask('counter:nobody', { type: 'read' }), { ok: false, failure: { code: 'absent' } });
  await turns();
  assert.is(stage.engine.gauges.cells, 0);
  assert.is(stage.engine.gauges.entries, 0);
  await stage.close();
});

it('answers unhandled when no step replied, although the state changed', async () => {
  const stage = await openStage();
  const answer = await stage.ask('counter:a', { type: 'mute', by: 7 });
  assert.equal(answer, { ok: false, failure: { code: 'unhandled' } });
  assert.is(((await stage.body('counter:a', { type: 'read' })) as { total: number }).total, 7);
  await stage.close();
});

it('answers unhandled to an event without a transition in the chart, and writes nothing', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  const { entries } = stage.engine.gauges;
  const answer = await stage.ask('counter:a', { type: 'unheard.of' });
  assert.equal(answer, { ok: false, failure: { code: 'unhandled' } });
  assert.is(stage.engine.gauges.entries, entries);
  await stage.close();
});

it('answers finished to an event for an actor that has ended, which is never stepped again', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.body('counter:a', { type: 'finish' });
  const { version } = (await stage.store.loadActor('counter:a'))?.actor ?? { version: 0 };
  assert.equal(await stage.ask('counter:a', { type: 'add', by: 1 }), { ok: false, failure: { code: 'finished' } });
  assert.is((await stage.store.loadActor('counter:a'))?.actor.version, version);
  await stage.close();
});

it('answers failed when the step throws, and changes nothing', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  const answer = await stage.ask('counter:a', { type: 'add', by: 5, poison: true });
  assert.ok(!answer.ok && answer.failure.code === 'failed' && answer.failure.detail.includes('poisoned'));
  assert.is(((await stage.body('counter:a', { type: 'add', by: 1 })) as { total: number }).total, 2);
  await stage.close();
});

it('treats a second reply to one ask as a failure of the chart', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  const answer = await stage.ask('counter:a', { type: 'twice', by: 1 });
  assert.ok(!answer.ok && answer.failure.code === 'failed' && answer.failure.detail.includes('second reply'));
  assert.is(((await stage.body('counter:a', { type: 'read' })) as { total: number }).total, 1);
  await stage.close();
});

it('refuses event types reserved by XState, unknown kinds and invalid addresses', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 1 });
  for (const [to, type] of [
    ['counter:a', 'xstate.stop'],
    ['counter:a', 'xstate.error.actor.x'],
    ['counter:a', ''],
    ['nothing:a', 'add'],
    ['counter:', 'add'],
    ['counter', 'add'],
  ] as const) {
    const answer = await stage.ask(to, { type });
    assert.ok(!answer.ok && answer.failure.code === 'failed', `${to} ${type}`);
  }
  assert.is(((await stage.body('counter:a', { type: 'read' })) as { total: number }).total, 1);
  await stage.close();
});

it('drops an event past its deadline and answers expired', async () => {
  const stage = await openStage();
  assert.equal(await stage.ask('counter:a', { type: 'add', by: 1 }, -1), { ok: false, failure: { code: 'expired' } });
  await turns();
  assert.is(await stage.store.loadActor('counter:a'), null);
  await stage.close();
});

it('answers moved for a shard that is not served here, with the last epoch served', async () => {
  const stage = await openStage({ adopt: false });
  assert.equal(await stage.ask('counter:a', { type: 'add' }), {
    ok: false,
    failure: { code: 'moved', owner: null, epoch: 0 },
  });
  await stage.take(ALL);
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.close();
  assert.equal(await stage.ask('counter:a', { type: 'add' }), {
    ok: false,
    failure: { code: 'moved', owner: null, epoch: 1 },
  });
});

it('gives an actor monotonic event times when the clock steps back', async () => {
  let wall = 1_000_000;
  const { systemClock } = await import('../../../../../actors/runtime/system/clock.ts');
  const stage = await openStage({ clock: { ...systemClock, now: () => wall } });
  await stage.body('counter:a', { type: 'add', by: 1 });
  wall -= 5_000;
  const { lastAt } = (await stage.body('counter:a', { type: 'add', by: 1 })) as { lastAt: number };
  assert.is(lastAt, 1_000_000);
  const again = await openStage({ store: stage.store, clock: { ...systemClock, now: () => wall }, name: 'n1' });
  const later = (await again.body('counter:a', { type: 'add', by: 1 })) as { lastAt: number };
  assert.is(later.lastAt, 1_000_000);
  await again.close();
  await stage.close();
});

it('survives a receiver that throws', async () => {
  const stage = await openStage();
  stage.engine.deliver({ to: 'counter:a', event: { type: 'add', by: 1 }, deadline: Number.MAX_VALUE }, () => {
    throw new Error('a bad receiver');
  });
  assert.is(((await stage.body('counter:a', { type: 'add', by: 1 })) as { total: number }).total, 2);
  assert.ok(stage.recorded.logged.some((record) => record.level === 'error'));
  await stage.close();
});

it('creates a stopped actor again after its end is durable', async () => {
  const stage = await openStage();
  await stage.body('counter:a', { type: 'add', by: 5 });
  const stop = stage.ask('counter:a', { type: 'stop' });
  const read = stage.ask('counter:a', { type: 'read' });
  const again = stage.ask('counter:a', { type: 'add', by: 1 });
  assert.ok((await stop).ok);
  assert.equal(await read, { ok: false, failure: { code: 'absent' } });
  const answer = await again;
  assert.ok(answer.ok && (answer.body as { total: number }).total === 1);
  assert.is((await stage.store.loadActor('counter:a'))?.actor.version, 3, 'above the versions of its first life');
  await stage.body('counter:a', { type: 'stop' });
  await turns();
  assert.is(await stage.store.loadActor('counter:a'), null);
  assert.is(stage.engine.gauges.cells, 0);
  await stage.close();
});

test.run();
