import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { DamagedStore } from '../../../../support/damaged-store.ts';
import { deferred } from '../../../../support/deferred.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { purseKind } from '../../../example-kinds/purse.ts';
import { HandClock } from '../hand-clock.ts';
import { openStage, SHARDS, type Stage, turns, until } from '../stage.ts';

const it = bounded(test);
const HERE = 'counter:acct_1/here';
const THERE = 'counter:acct_1/there';
const add = { type: 'add', by: 1 };
const kept = { ...purseKind, finishes: ['receive'] };

const alarms = (stage: Stage): readonly unknown[] =>
  stage.recorded.logged.filter(({ message, level }) => level === 'error' && /quarantined/.test(message));

async function damaged(more: Parameters<typeof openStage>[0] = {}): Promise<{ stage: Stage; store: DamagedStore }> {
  const store = new DamagedStore({ clock: systemClock, shards: SHARDS });
  const first = await openStage({ store, ...more });
  for (const address of [HERE, THERE]) await first.body(address, { type: 'remind', inMs: 600_000, by: 1 });
  for (const purse of ['a', 'b']) await first.body(`purse:acct_1/${purse}`, { type: 'fill', amount: 100 });
  await first.close();
  return { store, stage: await openStage({ store, ...more }) };
}

async function codeOf(stage: Stage, to: string, event: { readonly type: string }): Promise<string> {
  const answer = await stage.ask(to, event);
  return answer.ok ? 'ok' : answer.failure.code;
}

it('answers with a typed failure, alarms once, is counted and explained, and does not affect its neighbours', async () => {
  const { stage, store } = await damaged();
  store.flip(HERE);
  const before = await store.loadActor(HERE);
  for (let i = 0; i < 5; i++) assert.is(await codeOf(stage, HERE, add), 'quarantined');
  assert.is(await codeOf(stage, THERE, add), 'ok');
  assert.is(alarms(stage).length, 1);
  assert.is(stage.engine.gauges.quarantined, 1);
  assert.equal(
    stage.engine.quarantined().map(({ address }) => address),
    [HERE],
  );
  const shown = await stage.engine.inspect(HERE);
  assert.is(shown?.state, 'quarantined');
  assert.match(shown?.explanation.join('\n') ?? '', /check sum does not fit[\s\S]*troupe reload counter:acct_1\/here/);
  await stage.close();
  assert.equal(await store.loadActor(HERE), before, 'it was never written');
});

it('is loaded again only when an operator asks for it', async () => {
  const { stage, store } = await damaged();
  store.flip(HERE);
  assert.is(await codeOf(stage, HERE, add), 'quarantined');
  const still = await stage.engine.reload(HERE);
  assert.ok(still.outcome === 'quarantined' && /check sum/.test(still.fault));
  store.mend();
  assert.is(await codeOf(stage, HERE, add), 'quarantined', 'there is no automatic repair');
  assert.equal(await stage.engine.reload(HERE), { outcome: 'loaded' });
  assert.is(await codeOf(stage, HERE, add), 'ok');
  assert.equal([stage.engine.gauges.quarantined, stage.engine.quarantined()], [0, []]);
  assert.equal(await stage.engine.reload(HERE), { outcome: 'was-not-quarantined' });
  assert.equal(await stage.engine.reload('counter:acct_1/nobody'), { outcome: 'absent' });
  assert.equal(await stage.engine.reload('nothing:acct_1'), { outcome: 'absent' });
  await stage.close();
});

it('quarantines an actor whose open row does not load', async () => {
  const store = new DamagedStore({ clock: systemClock, shards: SHARDS });
  const first = await openStage({ store });
  await first.body('register:acct_1', { type: 'put', id: 'l1', node: 'live' });
  await first.close();
  store.actors.set('register:acct_1', ({ actor, openRows }) => ({
    actor,
    openRows: openRows.map((row) => ({ ...row, body: row.body.slice(1) })),
  }));
  const stage = await openStage({ store });
  const answer = await stage.ask('register:acct_1', { type: 'list' });
  assert.ok(!answer.ok && answer.failure.code === 'quarantined' && /open row line\/l1/.test(answer.failure.detail));
  store.mend();
  assert.equal(await stage.engine.reload('register:acct_1'), { outcome: 'loaded' });
  assert.equal(await stage.body('register:acct_1', { type: 'list' }), ['l1']);
  await stage.close();
});

it('quarantines the actor of a timer that does not load, awake or not; other timers are armed', async () => {
  const clock = new HandClock();
  const store = new DamagedStore({ clock, shards: SHARDS });
  const first = await openStage({ store, clock });
  await first.body(HERE, { type: 'remind', inMs: 20, by: 5 });
  await first.body(THERE, { type: 'remind', inMs: 20, by: 5 });
  await first.close();
  store.timers.set(HERE, (timer) => ({ ...timer, event: timer.event.slice(2) }));
  const stage = await openStage({ store, clock });
  await clock.advance(20);
  await until(() => stage.engine.gauges.quarantined === 1);
  const answer = await stage.ask(HERE, { type: 'read' });
  assert.ok(!answer.ok && answer.failure.code === 'quarantined' && /timer tick/.test(answer.failure.detail));
  const total = async (to: string): Promise<number> =>
    ((await stage.body(to, { type: 'read' })) as { total: number }).total;
  await until(async () => (await total(THERE)) === 5);
  assert.is((await stage.engine.inspect(HERE))?.timers[0]?.event, 'unreadable');
  assert.is((await stage.engine.reload(HERE)).outcome, 'quarantined');
  assert.is(alarms(stage).length, 1);
  store.mend();
  assert.equal(await stage.engine.reload(HERE), { outcome: 'loaded' });
  await until(async () => (await total(HERE)) === 5);
  await stage.close();
});

it('sends a resident kind its activation when it serves again', async () => {
  const kinds = [{ ...counterKind, resident: true }, purseKind];
  const { stage, store } = await damaged({ kinds });
  await turns();
  await stage.close();
  store.flip(HERE);
  const next = await openStage({ store, kinds });
  await until(() => next.engine.gauges.quarantined === 1);
  store.mend();
  await next.engine.reload(HERE);
  await until(() => next.recorded.published.some(({ key }) => key === HERE));
  await next.close();
});

it('fails a step as a whole if it sends a refusable input to a quarantined neighbour', async () => {
  const { stage, store } = await damaged();
  store.flip('purse:acct_1/b');
  const answer = await stage.ask('purse:acct_1/a', { type: 'pay', to: 'purse:acct_1/b', amount: 30 });
  assert.ok(!answer.ok && answer.failure.code === 'quarantined' && /purse:acct_1\/b/.test(answer.failure.detail));
  assert.is(await stage.body('purse:acct_1/a', { type: 'show' }), 100);
  await stage.close();
});

it('defers inputs that cannot be refused, and steps them once, in order, when the quarantined receiver loads', async () => {
  const { stage, store } = await damaged({ kinds: [counterKind, kept] });
  store.flip('purse:acct_1/b');
  for (const amount of [30, 20, 10]) {
    const answer = await stage.ask('purse:acct_1/a', { type: 'pay', to: 'purse:acct_1/b', amount });
    assert.ok(!answer.ok && answer.failure.code === 'unhandled', 'the step happened; only the receiver would reply');
  }
  assert.is(await stage.body('purse:acct_1/a', { type: 'show' }), 40);
  const shown = await stage.engine.inspect('purse:acct_1/b');
  assert.is(shown?.openRows['$dead-letters'], 3);
  assert.match(shown?.explanation.join('\n') ?? '', /3 messages that could not be refused wait/);
  await stage.close();

  const next = await openStage({ store, kinds: [counterKind, kept] });
  assert.is(await codeOf(next, 'purse:acct_1/b', { type: 'show' }), 'quarantined');
  await next.ask('purse:acct_1/a', { type: 'pay', to: 'purse:acct_1/b', amount: 5 });
  store.mend();
  const reloaded = next.engine.reload('purse:acct_1/b');
  assert.equal(await reloaded, { outcome: 'loaded' });
  assert.is(await next.body('purse:acct_1/b', { type: 'show' }), 165);
  const transitions = (await next.engine.inspect('purse:acct_1/b'))?.transitions ?? [];
  assert.is(transitions.filter(({ event }) => event === 'receive').length, 4);
  assert.equal(await store.rows({ collection: '$dead-letters', limit: 10 }), []);
  await next.close();

  const last = await openStage({ store, kinds: [counterKind, kept] });
  assert.is(await last.body('purse:acct_1/b', { type: 'show' }), 165, 'nothing is stepped twice');
  await last.close();
});

it('defers no input whose commit was refused', async () => {
  const { stage, store } = await damaged({ kinds: [counterKind, kept] });
  store.flip('purse:acct_1/b');
  assert.is(await codeOf(stage, 'purse:acct_1/b', { type: 'show' }), 'quarantined');
  const pay = { type: 'pay', to: 'purse:acct_1/b', amount: 30 };
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  assert.is(await codeOf(stage, 'purse:acct_1/a', pay), 'refused');
  store.fault = null;
  assert.is(await codeOf(stage, 'purse:acct_1/a', pay), 'unhandled');
  assert.is(alarms(stage).length, 1, 'the alarm is not repeated');
  store.mend();
  assert.equal(await stage.engine.reload('purse:acct_1/b'), { outcome: 'loaded' });
  assert.equal(
    [await stage.body('purse:acct_1/a', { type: 'show' }), await stage.body('purse:acct_1/b', { type: 'show' })],
    [70, 130],
  );
  await stage.close();
});

it('retries a deferred input that fails, and finally leaves it in its row', async () => {
  const { stage, store } = await damaged({ kinds: [counterKind, kept] });
  await stage.body('purse:acct_1/a', { type: 'fill', amount: 999_900 });
  store.flip('purse:acct_1/b');
  await stage.ask('purse:acct_1/a', { type: 'pay', to: 'purse:acct_1/b', amount: 1_000_000 });
  store.mend();
  await stage.engine.reload('purse:acct_1/b');
  await until(() => stage.recorded.logged.some(({ message }) => message === 'a deferred input failed'));
  assert.is(await stage.body('purse:acct_1/b', { type: 'show' }), 100, 'it serves all the same');
  assert.is((await store.rows({ collection: '$dead-letters', limit: 10 })).length, 1);
  await stage.close();
});

it('keeps deferred inputs distinct when the shard is served again under the same epoch', async () => {
  const { stage, store } = await damaged({ kinds: [counterKind, kept] });
  store.flip('purse:acct_1/b');
  const pay = (amount: number) => stage.ask('purse:acct_1/a', { type: 'pay', to: 'purse:acct_1/b', amount });
  await pay(30);
  const shard = shardOf('purse:acct_1/a', SHARDS);
  const epoch = stage.engine.epochOf(shard);
  await stage.engine.release(shard);
  // A hand-over that failed.
  stage.engine.adopt(shard, epoch ?? 0);
  await pay(20);
  assert.is((await store.rows({ collection: '$dead-letters', limit: 10 })).length, 2);
  store.mend();
  assert.equal(await stage.engine.reload('purse:acct_1/b'), { outcome: 'loaded' });
  assert.is(await stage.body('purse:acct_1/b', { type: 'show' }), 150);
  await stage.close();
});

it('steps a deferred input once although its actor was evicted between two tries', async () => {
  const clock = new HandClock();
  const store = new DamagedStore({ clock, shards: SHARDS });
  const [A, B, C] = ['purse:acct_1/a', 'purse:acct_1/b', 'purse:acct_1/c'] as const;
  const stage = await openStage({ store, clock, kinds: [counterKind, kept], limits: { residentsMax: 16 } });
  for (const purse of [A, B, C]) await stage.body(purse, { type: 'fill', amount: 100 });
  await stage.body(A, { type: 'fill', amount: 999_850 });
  const leave = async (): Promise<void> => {
    const before = stage.engine.gauges.evicted;
    for (let i = 0; i < 32; i++) await stage.body(`counter:acct_1/${before}-${i}`, add);
    await turns();
  };
  await leave();
  store.flip(B);
  await stage.ask(A, { type: 'pay', to: B, amount: 999_950 });
  store.mend();
  await stage.engine.reload(B);
  await until(() => stage.recorded.logged.some(({ message }) => message === 'a deferred input failed'));
  await stage.ask(B, { type: 'pay', to: C, amount: 100 });
  await leave();
  assert.is(await stage.body(B, { type: 'show' }), 999_950, 'it was loaded again, and the input fits now');
  assert.is(await stage.body(B, { type: 'fill', amount: -999_950 }), 0);
  await clock.advance(5_000);
  assert.is(await stage.body(B, { type: 'show' }), 0, 'inputs delivered to the evicted cell are void');
  await stage.close();
});

it('waits for inputs that are being deferred at the moment of the reload', async () => {
  const { stage, store } = await damaged({ kinds: [counterKind, kept] });
  const B = 'purse:acct_1/b';
  store.flip(B);
  assert.is(await codeOf(stage, B, { type: 'show' }), 'quarantined');
  store.mend();
  const { promise: looked, resolve: look } = deferred();
  const timersOf = store.timersOf.bind(store);
  store.timersOf = async (address) => {
    await looked;
    return timersOf(address);
  };
  const reloaded = stage.engine.reload(B);
  await turns();
  const resume = store.pauseCommits();
  const paid = stage.ask('purse:acct_1/a', { type: 'pay', to: B, amount: 30 });
  look();
  await turns();
  resume();
  await paid;
  assert.equal(await reloaded, { outcome: 'loaded' });
  assert.is(await stage.body(B, { type: 'show' }), 130);
  await stage.close();
});

it('a reload ends when its shard is lost meanwhile', async () => {
  const { stage, store } = await damaged();
  store.flip(HERE);
  assert.is(await codeOf(stage, HERE, add), 'quarantined');
  const { promise: looked, resolve: look } = deferred();
  const timersOf = store.timersOf.bind(store);
  store.timersOf = async (address) => {
    await looked;
    return timersOf(address);
  };
  const reloaded = stage.engine.reload(HERE);
  await turns();
  stage.engine.drop(shardOf(HERE, SHARDS));
  look();
  assert.equal(await reloaded, { outcome: 'not-served' });
  await stage.close();
});

it('two concurrent reloads of one actor load it once', async () => {
  const { stage, store } = await damaged({ kinds: [counterKind, kept] });
  const B = 'purse:acct_1/b';
  store.flip(B);
  for (const amount of [1, 2]) await stage.ask('purse:acct_1/a', { type: 'pay', to: B, amount });
  store.mend();
  // The second reading takes longer, so that the deferred input is stepped before it arrives.
  const { promise: late, resolve: arrive } = deferred();
  const loadActor = store.loadActor.bind(store);
  let loads = 0;
  store.loadActor = async (address) => {
    const stored = await loadActor(address);
    if (++loads === 2) await late;
    return stored;
  };
  const both = Promise.all([stage.engine.reload(B), stage.engine.reload(B)]);
  await turns(20);
  arrive();
  for (const { outcome } of await both) assert.ok(['loaded', 'was-not-quarantined'].includes(outcome), outcome);
  await turns();
  assert.equal([loads, await stage.body(B, { type: 'fill', amount: 10 })], [1, 113]);
  assert.equal(stage.recorded.lost, []);
  await stage.close();
});

test.run();
