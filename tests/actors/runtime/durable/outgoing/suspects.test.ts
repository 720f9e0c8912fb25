import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { ActivityRecord } from '../../../../../actors/runtime/actor/cascade/activity-record.ts';
import type { Json } from '../../../../../actors/runtime/actor/event.ts';
import type { ActivityTask } from '../../../../../actors/runtime/ports/activity.ts';
import { A, activities, first, receivedBy, type Scene, scenes, work, working } from '../held-calls.ts';
import { ALL, inShard, type Stage, until } from '../stage.ts';

const within = scenes(test);

/** Kills the node that runs the newest call, and waits until the next node runs it. */
async function dies(scene: Scene, stage: Stage, name: string, cause: 'crashed' | 'killed'): Promise<Stage> {
  const next = await scene.open(name);
  const before = scene.held.calls.length;
  await scene.stages.kill(stage, cause);
  await next.take(ALL);
  for (let i = 0; i < 10 && scene.held.calls.length === before; i++) await scene.clock.advance(500);
  return next;
}

within('kills never mark an activity as poison, regardless of their number', async (scene) => {
  let stage = await working(scene, { inMs: 600_000 });
  for (let i = 2; i <= 9; i++) stage = await dies(scene, stage, `n${i}`, 'killed');
  assert.is(scene.held.calls.length, 9);
  const [record] = await activities(scene.stages);
  assert.equal([record?.deaths, record?.suspect, record?.attempt], [0, false, 9]);
});

within(
  'after a crash an activity runs as the only suspect, and three more crashes mark it as poison',
  async (scene) => {
    let stage = await working(scene, { inMs: 600_000 });
    stage = await dies(scene, stage, 'n2', 'crashed');
    assert.equal(
      (await activities(scene.stages)).map((it) => [it.suspect, it.begun, it.deaths]),
      [[true, true, 0]],
    );
    stage = await dies(scene, stage, 'n3', 'killed');
    assert.equal(
      (await activities(scene.stages)).map((it) => it.deaths),
      [0],
    );
    stage = await dies(scene, stage, 'n4', 'crashed');
    stage = await dies(scene, stage, 'n5', 'crashed');
    assert.equal(
      (await activities(scene.stages)).map((it) => it.deaths),
      [2],
    );
    stage = await dies(scene, stage, 'n6', 'crashed');
    assert.is(scene.held.calls.length, 5);
    assert.equal(await activities(scene.stages), []);
    assert.is(((await receivedBy(stage)).at(-1) as { code: string }).code, 'poison');
  },
);

/** A node that serves every shard and runs `long` beside the activities `ids` of a crashed node. */
async function crashed(scene: Scene, ids: readonly string[], more = {}): Promise<Stage> {
  const stage = await first(scene);
  for (const id of ids) await stage.body(A, work(id, { inMs: 600_000, ...more }));
  await scene.held.made(ids.length);
  const next = await scene.open('n2');
  await stage.engine.release(1);
  await next.take([1]);
  await next.body(B, { type: 'open' });
  await next.body(B, work('long', { inMs: 600_000 }));
  await scene.held.made(ids.length + 1);
  await scene.stages.kill(stage, 'crashed');
  await next.take(ALL);
  await scene.clock.advance(3_000);
  return next;
}

const B = inShard('sender', 1, 'b');
const begun = (scene: Scene, from = 0): string[] => scene.held.calls.slice(from).map(({ job }) => job.id);

within('suspects run one at a time, while running and new activities continue beside them', async (scene) => {
  const next = await crashed(scene, ['first', 'second']);
  assert.equal(begun(scene, 2), ['long', 'first'], 'it does not wait for running attempts');
  await next.body(B, work('behind'));
  await next.body(A, work('beside'));
  await scene.held.made(6);
  assert.equal(begun(scene, 4), ['behind', 'beside']);
  assert.equal(
    (await activities(scene.stages)).filter(({ suspect }) => suspect).map((it) => it.begun),
    [true, false],
  );
  await scene.clock.advance(30_000);
  assert.is(scene.held.calls.length, 6);
  scene.held.call(3).resolve('innocent');
  await scene.held.made(7);
  assert.is(scene.held.call(6).job.id, 'second');
});

within('a crash makes running attempts suspects, and never waiting ones', async (scene) => {
  const narrow = { work: { ...scene.held.activities.work, runningMax: 2, runningPerGroupMax: 2 } };
  const stage = await scene.stages.open('n1', narrow);
  await stage.take(ALL);
  await stage.body(A, { type: 'open' });
  for (const id of ['1', '2', '3', '4']) await stage.body(A, work(id, { inMs: 600_000 }));
  await scene.held.made(2);
  const next = await scene.open('n2');
  await scene.stages.kill(stage, 'crashed');
  await next.take(ALL);
  await until(() => scene.held.calls.length === 4 || scene.held.calls.length === 5);
  await scene.clock.advance(3_000);
  const seen = (await activities(scene.stages)).map(({ suspect, attempt, begun }) => [suspect, attempt, begun]);
  assert.equal(seen, [
    [true, 2, true],
    [true, 2, false],
    [false, 1, true],
    [false, 1, true],
  ]);
});

within(
  'a crash while a suspect runs counts only against the suspect; attempts beside it become suspects',
  async (scene) => {
    const next = await crashed(scene, ['poison', 'waits']);
    await next.body(A, work('beside', { inMs: 600_000 }));
    await scene.held.made(5);
    const last = await scene.open('n3');
    await scene.stages.kill(next, 'crashed');
    await last.take(ALL);
    await scene.clock.advance(3_000);
    const seen = (await activities(scene.stages)).map(({ suspect, deaths, attempt }) => [suspect, deaths, attempt]);
    assert.equal(seen.sort(), [
      [true, 0, 2],
      [true, 0, 2],
      [true, 0, 2],
      [true, 1, 3],
    ]);
  },
);

within('a suspect whose deadline passes before its turn fails with its own code', async (scene) => {
  const next = await crashed(scene, ['first', 'second'], { inMs: 20_000 });
  await scene.clock.advance(20_000);
  await until(async () => (await receivedBy(next)).length === 4);
  const ends = (await receivedBy(next)).filter((end) => typeof end === 'object') as { code: string; message: string }[];
  assert.equal(ends.map(({ code }) => code).sort(), ['deadline', 'not-begun']);
  assert.match(ends.find(({ code }) => code === 'not-begun')?.message ?? '', /among the suspects/);
  assert.equal(begun(scene, 2), ['long', 'first']);
});

within(
  'a hundred activities of a crashed node: the harmless ones end in time, the poison one is isolated',
  async (scene) => {
    const crash = { incarnation: '' };
    const handlerOf = (name: () => string) => ({
      work: {
        ...{ runningMax: 10, runningPerGroupMax: 10 },
        run: async ({ id }: ActivityTask) => {
          await new Promise<void>((resolve) => scene.clock.after(1_000, resolve));
          if (id !== '3') return id;
          crash.incarnation = name();
          return new Promise<Json>(() => {});
        },
      },
    });
    const node = async (name: string): Promise<Stage> => {
      const stage: Stage = await scene.stages.open(
        name,
        handlerOf(() => stage.incarnation),
      );
      return stage;
    };
    let stage = await node('n0');
    await stage.take(ALL);
    await stage.body(A, { type: 'open' });
    for (let i = 0; i < 100; i++) await stage.body(A, work(String(i), { inMs: 60_000 }));
    const suspects = new Set<string>();
    let crashes = 0;
    await until(async () => {
      await scene.clock.advance(100);
      if (crash.incarnation !== '') {
        const fresh = await node(`n${++crashes}`);
        await scene.stages.kill(stage, 'crashed');
        crash.incarnation = '';
        stage = fresh;
        await stage.take(ALL);
      }
      for (const { body, id } of await scene.stages.store.rows({ collection: '$activities', limit: 200 })) {
        if ((JSON.parse(body) as ActivityRecord).suspect) suspects.add(id);
      }
      return (await activities(scene.stages)).length === 0;
    });
    const received = (await receivedBy(stage)).filter((text) => !String(text).startsWith('attempt'));
    const failures = received.filter((end) => typeof end === 'object') as { code: string }[];
    assert.equal([crashes, failures.map(({ code }) => code)], [4, ['poison']]);
    assert.equal(received.length, 100);
    assert.ok(suspects.size <= 40, `${suspects.size} suspects of four crashes with ten running`);
  },
);

within('an attempt whose actor is quarantined delays no other, and runs when the actor serves', async (scene) => {
  const stage = await first(scene);
  await stage.body(A, work('suspect', { inMs: 3_600_000 }));
  await scene.held.made(1);
  const next = await scene.open('n2');
  let serves = false;
  scene.stages.wire = ({ to, event }, pass) =>
    event.type === '$begin' && to === A && !serves
      ? Promise.reject(new AskError(to, { code: 'quarantined', detail: 'its snapshot does not load' }))
      : pass();
  await scene.stages.kill(stage, 'crashed');
  await next.take(ALL);
  await next.body(B, { type: 'open' });
  await scene.clock.advance(3_000);
  await next.body(B, { type: 'work', id: 'other' });
  await scene.clock.advance(30_000);
  assert.equal(
    scene.held.calls.map(({ job }) => job.id),
    ['suspect', 'other'],
  );
  scene.held.call(1).resolve('done');
  serves = true;
  await scene.clock.advance(60_000);
  assert.equal(
    scene.held.calls.map(({ job }) => job.id),
    ['suspect', 'other', 'suspect'],
  );
});

test.run();
