/** Which attempts begin, and when: bounds per account, a node that does not serve yet, a node that drains. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { senderKind } from '../../../example-kinds/sender.ts';
import { A, receivedBy, scenes, work } from '../held-calls.ts';
import { ALL, inShard, until } from '../stage.ts';

const within = scenes(test);

within('a thousand waiting activities of one account delay no other account', async (scene) => {
  const narrow = { work: { ...scene.held.activities.work, runningMax: 3, runningPerGroupMax: 2 } };
  const stage = await scene.stages.open('n1', narrow);
  await stage.take(ALL);
  const other = inShard('sender', 1, 'other');
  for (const actor of [A, other]) await stage.body(actor, { type: 'open' });
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => stage.body(A, work(`a${i}`, { inMs: 3_600_000 }))));
  for (const id of ['b1', 'b2']) await stage.body(other, work(id));
  await scene.held.made(3);
  const ids = (): string[] => scene.held.calls.map(({ job }) => job.id);
  assert.equal(ids(), ['a0', 'a1', 'b1']);
  scene.held.call(0).resolve(null);
  await scene.held.made(4);
  scene.held.call(2).resolve(null);
  await scene.held.made(5);
  assert.equal(ids().sort(), ['a0', 'a1', 'a2', 'b1', 'b2']);
});

within(
  'no attempt begins before the node serves, and attempts late by then fail with their own code',
  async (scene) => {
    const stage = await scene.stages.open('n1', scene.held.activities, [senderKind], { serve: false });
    await stage.take(ALL);
    await stage.body(A, { type: 'open' });
    await stage.body(A, work('w'));
    await stage.body(A, work('late', { inMs: 1_000 }));
    await scene.clock.advance(5_000);
    assert.equal(scene.held.calls, []);
    const [{ code, message }] = (await receivedBy(stage)) as [{ code: string; message: string }];
    assert.is(code, 'not-begun');
    assert.match(message, /did not serve/);
    stage.engine.activities.serve();
    await scene.held.made(1);
    assert.equal([scene.held.call(0).job.id, scene.held.call(0).job.attempt], ['w', 1]);
  },
);

within('a draining node begins no attempt: the next owner begins it, and running attempts continue', async (scene) => {
  const stage = await scene.stages.open('n1', {
    work: { ...scene.held.activities.work, runningMax: 1, runningPerGroupMax: 1 },
  });
  await stage.take(ALL);
  await stage.body(A, { type: 'open' });
  await stage.body(A, work('running'));
  await stage.body(A, work('waiting'));
  await scene.held.made(1);
  stage.engine.activities.pause();
  assert.is(stage.engine.activities.size, 1);
  await stage.body(A, work('fresh'));
  const next = await scene.open('n2');
  await stage.engine.release(0);
  await next.take([0]);
  await scene.clock.advanceUntil(100, () => scene.held.calls.length === 3);
  assert.equal(
    scene.held.calls.map(({ job }) => [job.id, job.attempt]),
    [
      ['running', 1],
      ['waiting', 1],
      ['fresh', 1],
    ],
  );
  assert.not.ok(scene.held.call(0).signal.aborted);
  scene.held.call(0).resolve('from the one that leaves');
  await until(async () => (await receivedBy(next)).length === 1);
  assert.equal([await receivedBy(next), stage.engine.activities.size], [['from the one that leaves'], 0]);
});

test.run();
