/** Which attempts begin, and when: bounds per account, a node that does not serve yet, a node that drains. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postmanKind } from '../../../example-kinds/postman.ts';
import { A, ALL, heardBy, scenes, work } from '../desk.ts';
import { until } from '../stage.ts';
import { inShard } from '../town.ts';

const within = scenes(test);

within('a thousand waiting activities of one account delay no other account', async (scene) => {
  const narrow = { work: { ...scene.desk.activities.work, runningMax: 3, runningPerGroupMax: 2 } };
  const house = await scene.town.build('n1', narrow);
  await house.take(ALL);
  const other = inShard('postman', 1, 'other');
  for (const man of [A, other]) await house.body(man, { type: 'open' });
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => house.body(A, work(`a${i}`, { inMs: 3_600_000 }))));
  for (const id of ['b1', 'b2']) await house.body(other, work(id));
  await until(() => scene.desk.calls.length === 3);
  const ids = (): string[] => scene.desk.calls.map(({ job }) => job.id);
  assert.equal(ids(), ['a0', 'a1', 'b1']);
  scene.desk.call(0).resolve(null);
  await until(() => scene.desk.calls.length === 4);
  scene.desk.call(2).resolve(null);
  await until(() => scene.desk.calls.length === 5);
  assert.equal(ids().sort(), ['a0', 'a1', 'a2', 'b1', 'b2']);
});

within(
  'no attempt begins before the node serves, and attempts late by then fail with their own code',
  async (scene) => {
    const house = await scene.town.build('n1', scene.desk.activities, [postmanKind], { serve: false });
    await house.take(ALL);
    await house.body(A, { type: 'open' });
    await house.body(A, work('w'));
    await house.body(A, work('late', { inMs: 1_000 }));
    await scene.clock.advance(5_000);
    assert.equal(scene.desk.calls, []);
    const [{ code, message }] = (await heardBy(house)) as [{ code: string; message: string }];
    assert.is(code, 'not-begun');
    assert.match(message, /did not serve/);
    house.engine.activities.serve();
    await until(() => scene.desk.calls.length === 1);
    assert.equal([scene.desk.call(0).job.id, scene.desk.call(0).job.attempt], ['w', 1]);
  },
);

within('a draining node begins no attempt: the next owner begins it, and running attempts continue', async (scene) => {
  const house = await scene.town.build('n1', {
    work: { ...scene.desk.activities.work, runningMax: 1, runningPerGroupMax: 1 },
  });
  await house.take(ALL);
  await house.body(A, { type: 'open' });
  await house.body(A, work('running'));
  await house.body(A, work('waiting'));
  await until(() => scene.desk.calls.length === 1);
  house.engine.activities.pause();
  assert.is(house.engine.activities.size, 1);
  await house.body(A, work('fresh'));
  const next = await scene.build('n2');
  await house.engine.release(0);
  await next.take([0]);
  await until(async () => {
    await scene.clock.advance(100);
    return scene.desk.calls.length === 3;
  });
  assert.equal(
    scene.desk.calls.map(({ job }) => [job.id, job.attempt]),
    [
      ['running', 1],
      ['waiting', 1],
      ['fresh', 1],
    ],
  );
  assert.not.ok(scene.desk.call(0).signal.aborted);
  scene.desk.call(0).resolve('from the one that leaves');
  await until(async () => (await heardBy(next)).length === 1);
  assert.equal([await heardBy(next), house.engine.activities.size], [['from the one that leaves'], 0]);
});

test.run();
