import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NoticeBoard } from '../../../../../actors/runtime/cluster/notice-board.ts';
import { VERSION_FLOORS_MAX, VersionFloor } from '../../../../../actors/runtime/durable/shard.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { openStage, SHARDS } from '../stage.ts';

const it = bounded(test);

it('keeps the floor of an actor until a later version of it is durable', () => {
  const reached = new VersionFloor();
  assert.is(reached.of('a'), 0);
  reached.note('a', 7);
  reached.note('a', 9);
  assert.equal([reached.of('a'), reached.of('b')], [9, 0]);
  reached.passed('a');
  assert.is(reached.of('a'), 0);
});

it('never returns less than the version of a rewound actor, however many there were', () => {
  const reached = new VersionFloor();
  const count = 3 * VERSION_FLOORS_MAX + 5;
  const version = (i: number): number => 1 + ((i * 7_919) % 1_000);
  for (let i = 0; i < count; i++) reached.note(`a${i}`, version(i));
  for (let i = 0; i < count; i++) assert.ok(reached.of(`a${i}`) >= version(i), `a${i}`);
});

it('an absent actor begins above the version at which any actor of its shard ended', () => {
  const floor = new VersionFloor();
  assert.is(floor.ofAbsent('a'), 0);
  floor.ended(7);
  floor.ended(3);
  floor.note('b', 9);
  assert.equal([floor.ofAbsent('a'), floor.ofAbsent('b'), floor.of('a')], [7, 9, 0]);
});

it('a rewound actor continues above its floor, and its commits succeed', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const stage = await openStage({ store });
  const HERE = 'counter:acct_1/here';
  const THERE = 'counter:acct_1/there';
  const add = { type: 'add', by: 1 };
  for (let i = 0; i < 9; i++) await stage.body(HERE, add);
  await stage.body(THERE, add);
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  assert.not.ok((await stage.ask(HERE, add)).ok);
  store.fault = null;
  assert.is(((await stage.body(HERE, add)) as { total: number }).total, 10);
  const stored = (await store.loadActor(HERE))?.actor.version ?? 0;
  assert.is(stored, 11, 'one version was never given again');
  assert.equal(stage.recorded.lost, []);
  await stage.close();
});

for (const isWaiting of [false, true]) {
  it(`an actor made again after its end is on the boards${isWaiting ? ', made while it ends' : ''}`, async () => {
    const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
    const stage = await openStage({ store });
    const board = new NoticeBoard(() => {});
    const A = 'counter:acct_1/a';
    for (let i = 0; i < 5; i++) await stage.body(A, { type: 'add', by: 1 });
    await stage.body(A, { type: 'peek' });
    const end = stage.body(A, { type: 'stop' });
    if (!isWaiting) await end;
    await Promise.all([end, stage.body(A, { type: 'add', by: 70 })]);
    await stage.body(A, { type: 'peek' });
    board.apply(stage.recorded.published);
    assert.is(board.read('counters', A), 70);
    await stage.body(A, { type: 'add', by: 1 });
    assert.equal(stage.recorded.lost, []);
    await stage.close();
    const next = await openStage({ store });
    const { total, seen } = (await next.body(A, { type: 'read' })) as { total: number; seen: number };
    assert.equal([total, seen], [71, 1]);
    await next.close();
  });
}

test.run();
