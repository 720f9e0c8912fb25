/** A restore from a copy raises epochs by a large step: ids stay unique, and order and pages stay complete. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { first, scenes, work } from '../held-calls.ts';
import { ALL, inShard } from '../stage.ts';

const within = scenes(test);
/** The most by which one restore raises epochs. */
const JUMP_MAX = 2 ** 32;
const LOOKS_MAX = 500;
const A = inShard('sender', 0, 'a');
const B = inShard('sender', 1, 'b');

const keys: string[] = [];
for (const jump of [0, 0, JUMP_MAX]) {
  within(`the key of the same activity on a store restored ${jump} epochs ahead`, async (scene) => {
    await scene.stages.store.raiseEpochs(jump);
    const stage = await first(scene);
    await stage.body(A, { type: 'open' });
    await stage.body(A, work('w'));
    await scene.held.made(1);
    const next = await scene.open('n2');
    await scene.stages.kill(stage);
    await next.take(ALL);
    await scene.clock.advanceUntil(500, () => scene.held.calls.length === 2);
    assert.is(scene.held.call(1).job.key, scene.held.call(0).job.key);
    keys.push(scene.held.call(0).job.key);
  });
}

test('the idempotency key of an activity differs after a restore: it changes with the epoch only', () => {
  assert.is(keys.length, 3);
  assert.is(keys[1], keys[0]);
  assert.is.not(keys[2], keys[0]);
});

within('a message is no duplicate of one received before any number of restores', async ({ stages, clock }) => {
  const received: unknown[] = [];
  // Each restore adds a digit or lowers the first one.
  for (const [life, jump] of [0, 1_000_000, 2_100_000_000, JUMP_MAX, 2 ** 40].entries()) {
    await stages.store.raiseEpochs(jump);
    const stage = await stages.open(`n${life}`);
    await stage.take(ALL);
    for (const address of [A, B]) await stage.body(address, { type: 'open' });
    for (const note of [`${life} one`, `${life} two`]) {
      await stage.body(A, { type: 'post', messages: [{ to: B, event: { type: 'note', note } }] });
      received.push(JSON.stringify(note));
    }
    await clock.advanceUntil(
      50,
      async () => (await stages.store.rows({ collection: '$outbox', limit: 10 })).length === 0,
    );
    assert.equal(await stage.body(B, { type: 'open' }), received);
    await stages.kill(stage);
  }
});

within(
  'no work is lost among more than a page of it, all of the same name, when a shard changes hands',
  async (scene) => {
    const { stages, held, open } = scene;
    const actors = Array.from({ length: 1_010 }, (_, i) => inShard('sender', 0, `p${i}-`));
    await stages.store.raiseEpochs(JUMP_MAX);
    const before = await open('n1');
    await before.take([0]);
    for (const address of actors) {
      await before.body(address, { type: 'open' });
      await before.body(address, work('same', { inMs: 3_600_000 }));
    }
    await held.made(actors.length);
    await stages.kill(before);
    const after = await open('n2');
    await after.take([0]);
    for (let looks = 0; looks < LOOKS_MAX && held.calls.length < 2 * actors.length; looks++) {
      await scene.clock.advance(10);
    }
    assert.is(new Set(held.calls.slice(actors.length).map(({ job }) => job.address)).size, actors.length);
  },
);

test.run();
