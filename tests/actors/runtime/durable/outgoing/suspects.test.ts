import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import { A, ALL, first, heardBy, intents, type Scene, scenes, work } from '../desk.ts';
import { until } from '../stage.ts';
import { type House, inShard } from '../town.ts';

const within = scenes(test);

/** Kills the node that runs the newest call, and waits until the next node runs it. */
async function dies(scene: Scene, house: House, name: string, cause: 'own-hand' | 'outside'): Promise<House> {
  const next = await scene.build(name);
  const before = scene.desk.calls.length;
  await scene.town.kill(house, cause);
  await next.take(ALL);
  for (let i = 0; i < 10 && scene.desk.calls.length === before; i++) await scene.clock.advance(500);
  return next;
}

within('kills from outside never convict, however many there are', async (scene) => {
  let house = await first(scene);
  await house.body(A, work('w', { inMs: 600_000 }));
  await until(() => scene.desk.calls.length === 1);
  for (let i = 2; i <= 9; i++) house = await dies(scene, house, `n${i}`, 'outside');
  assert.is(scene.desk.calls.length, 9);
  const [record] = await intents(scene.town);
  assert.equal([record?.deaths, record?.suspect, record?.attempt], [0, false, 9]);
});

within('after a death by its own hand work runs alone, and three such deaths alone convict it', async (scene) => {
  let house = await first(scene);
  await house.body(A, work('w', { inMs: 600_000 }));
  await until(() => scene.desk.calls.length === 1);
  house = await dies(scene, house, 'n2', 'own-hand');
  assert.equal(
    (await intents(scene.town)).map((it) => [it.suspect, it.alone, it.deaths]),
    [[true, true, 0]],
  );
  house = await dies(scene, house, 'n3', 'outside');
  assert.equal(
    (await intents(scene.town)).map((it) => it.deaths),
    [0],
  );
  house = await dies(scene, house, 'n4', 'own-hand');
  house = await dies(scene, house, 'n5', 'own-hand');
  assert.equal(
    (await intents(scene.town)).map((it) => it.deaths),
    [2],
  );
  house = await dies(scene, house, 'n6', 'own-hand');
  assert.is(scene.desk.calls.length, 5);
  assert.equal(await intents(scene.town), []);
  assert.is(((await heardBy(house))[0] as { code: string }).code, 'convicted');
});

within('a suspect waits until nothing else runs, and what comes after it waits for its end', async (scene) => {
  const house = await first(scene);
  const next = await scene.build('n2');
  await house.body(A, work('suspect'));
  await until(() => scene.desk.calls.length === 1);
  await next.take([1]);
  await house.engine.seal(1);
  await next.take([1]);
  const B = inShard('postman', 1, 'b');
  await next.body(B, { type: 'open' });
  await next.body(B, { type: 'work', id: 'long' });
  await until(() => scene.desk.calls.length === 2);
  await scene.town.kill(house, 'own-hand');
  await next.take([0]);
  await scene.clock.advance(3_000);
  await next.body(B, { type: 'work', id: 'behind' });
  await scene.clock.advance(3_000);
  assert.equal(
    scene.desk.calls.map(({ job }) => job.id),
    ['suspect', 'long'],
  );
  assert.equal((await intents(scene.town)).find(({ suspect }) => suspect)?.alone, false);
  scene.desk.call(1).resolve('long done');
  await until(async () => {
    await scene.clock.advance(10);
    return scene.desk.calls.length === 3;
  });
  await scene.clock.advance(3_000);
  assert.equal(
    scene.desk.calls.map(({ job }) => job.id),
    ['suspect', 'long', 'suspect'],
  );
  scene.desk.call(2).resolve('innocent');
  await until(async () => {
    await scene.clock.advance(10);
    return scene.desk.calls.length === 4;
  });
  assert.is(scene.desk.call(3).job.id, 'behind');
  assert.equal(await heardBy(next), ['innocent']);
});

within('work whose deadline passes while it waits for its turn is told so and never begins', async (scene) => {
  const house = await first(scene);
  const next = await scene.build('n2');
  await next.take([1]);
  await house.engine.seal(1);
  await next.take([1]);
  const B = inShard('postman', 1, 'b');
  await next.body(B, { type: 'open' });
  await next.body(B, { type: 'work', id: 'long' });
  await house.body(A, work('suspect', { inMs: 5_000 }));
  await until(() => scene.desk.calls.length === 2);
  await scene.town.kill(house, 'own-hand');
  await next.take([0]);
  await scene.clock.advance(6_000);
  await until(async () => (await heardBy(next)).length === 1);
  assert.is(((await heardBy(next))[0] as { code: string }).code, 'deadline');
  scene.desk.call(0).resolve('long done');
  await scene.clock.advance(6_000);
  assert.is(scene.desk.calls.length, 2);
});

within('a suspect whose actor is quarantined holds up nobody, and runs alone once that serves', async (scene) => {
  const house = await first(scene);
  const B = inShard('postman', 1, 'b');
  await house.body(A, work('suspect', { inMs: 3_600_000 }));
  await until(() => scene.desk.calls.length === 1);
  const next = await scene.build('n2');
  let serves = false;
  scene.town.wire = ({ to, event }, pass) =>
    event.type === '$alone' && !serves
      ? Promise.reject(new AskError(to, { code: 'quarantined', detail: 'its snapshot does not load' }))
      : pass();
  await scene.town.kill(house, 'own-hand');
  await next.take(ALL);
  await next.body(B, { type: 'open' });
  await scene.clock.advance(3_000);
  await next.body(B, { type: 'work', id: 'other' });
  await scene.clock.advance(30_000);
  assert.equal(
    scene.desk.calls.map(({ job }) => job.id),
    ['suspect', 'other'],
  );
  scene.desk.call(1).resolve('done');
  serves = true;
  await scene.clock.advance(60_000);
  assert.equal(
    scene.desk.calls.map(({ job }) => job.id),
    ['suspect', 'other', 'suspect'],
  );
});

test.run();
