/** A restore from a copy raises epochs by a large step: ids stay unique, and order and pages stay complete. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { first, scenes, work } from '../desk.ts';
import { until } from '../stage.ts';
import { inShard } from '../town.ts';

const within = scenes(test);
/** The most by which one restore raises epochs. */
const JUMP_MAX = 2 ** 32;
const LOOKS_MAX = 500;
const A = inShard('postman', 0, 'a');
const B = inShard('postman', 1, 'b');
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];

const keys: string[] = [];
for (const jump of [0, 0, JUMP_MAX]) {
  within(`the key of the same activity on a store restored ${jump} epochs ahead`, async (scene) => {
    await scene.town.store.raiseEpochs(jump);
    const house = await first(scene);
    await house.body(A, { type: 'open' });
    await house.body(A, work('w'));
    await until(() => scene.desk.calls.length === 1);
    const next = await scene.build('n2');
    await scene.town.kill(house);
    await next.take(ALL);
    await until(async () => {
      await scene.clock.advance(500);
      return scene.desk.calls.length === 2;
    });
    assert.is(scene.desk.call(1).job.key, scene.desk.call(0).job.key);
    keys.push(scene.desk.call(0).job.key);
  });
}

test('the idempotency key of an activity differs after a restore: it changes with the epoch only', () => {
  assert.is(keys.length, 3);
  assert.is(keys[1], keys[0]);
  assert.is.not(keys[2], keys[0]);
});

within('a message is no duplicate of one received before any number of restores', async ({ town, clock }) => {
  const received: unknown[] = [];
  // Each restore adds a digit or lowers the first one.
  for (const [life, jump] of [0, 1_000_000, 2_100_000_000, JUMP_MAX, 2 ** 40].entries()) {
    await town.store.raiseEpochs(jump);
    const house = await town.build(`n${life}`);
    await house.take(ALL);
    for (const address of [A, B]) await house.body(address, { type: 'open' });
    for (const note of [`${life} one`, `${life} two`]) {
      await house.body(A, { type: 'post', letters: [{ to: B, event: { type: 'note', note } }] });
      received.push(JSON.stringify(note));
    }
    await until(async () => {
      await clock.advance(50);
      return (await town.store.rows({ collection: '$outbox', limit: 10 })).length === 0;
    });
    assert.equal(await house.body(B, { type: 'open' }), received);
    await town.kill(house);
  }
});

within(
  'no work is lost among more than a page of it, all of the same name, when a shard changes hands',
  async (scene) => {
    const { town, desk, build } = scene;
    const actors = Array.from({ length: 1_010 }, (_, i) => inShard('postman', 0, `p${i}-`));
    await town.store.raiseEpochs(JUMP_MAX);
    const before = await build('n1');
    await before.take([0]);
    for (const address of actors) {
      await before.body(address, { type: 'open' });
      await before.body(address, work('same', { inMs: 3_600_000 }));
    }
    await until(() => desk.calls.length === actors.length);
    await town.kill(before);
    const after = await build('n2');
    await after.take([0]);
    for (let looks = 0; looks < LOOKS_MAX && desk.calls.length < 2 * actors.length; looks++) {
      await scene.clock.advance(10);
    }
    assert.is(new Set(desk.calls.slice(actors.length).map(({ job }) => job.address)).size, actors.length);
  },
);

test.run();
