import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActivityRecord } from '../../../../../actors/runtime/actor/activity-record.ts';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { Json } from '../../../../../actors/runtime/actor/event.ts';
import type { ActivityTask } from '../../../../../actors/runtime/ports/activity.ts';
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

within('kills never mark an activity as poison, regardless of their number', async (scene) => {
  let house = await first(scene);
  await house.body(A, work('w', { inMs: 600_000 }));
  await until(() => scene.desk.calls.length === 1);
  for (let i = 2; i <= 9; i++) house = await dies(scene, house, `n${i}`, 'outside');
  assert.is(scene.desk.calls.length, 9);
  const [record] = await intents(scene.town);
  assert.equal([record?.deaths, record?.suspect, record?.attempt], [0, false, 9]);
});

within(
  'after a crash an activity runs as the only suspect, and three more crashes mark it as poison',
  async (scene) => {
    let house = await first(scene);
    await house.body(A, work('w', { inMs: 600_000 }));
    await until(() => scene.desk.calls.length === 1);
    house = await dies(scene, house, 'n2', 'own-hand');
    assert.equal(
      (await intents(scene.town)).map((it) => [it.suspect, it.begun, it.deaths]),
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
    assert.is(((await heardBy(house)).at(-1) as { code: string }).code, 'convicted');
  },
);

/** A node that serves every shard and runs `long` beside the activities `ids` of a crashed node. */
async function crashed(scene: Scene, ids: readonly string[], more = {}): Promise<House> {
  const house = await first(scene);
  for (const id of ids) await house.body(A, work(id, { inMs: 600_000, ...more }));
  await until(() => scene.desk.calls.length === ids.length);
  const next = await scene.build('n2');
  await house.engine.release(1);
  await next.take([1]);
  await next.body(B, { type: 'open' });
  await next.body(B, work('long', { inMs: 600_000 }));
  await until(() => scene.desk.calls.length === ids.length + 1);
  await scene.town.kill(house, 'own-hand');
  await next.take(ALL);
  await scene.clock.advance(3_000);
  return next;
}

const B = inShard('postman', 1, 'b');
const begun = (scene: Scene, from = 0): string[] => scene.desk.calls.slice(from).map(({ job }) => job.id);

within('suspects run one at a time, while running and new activities continue beside them', async (scene) => {
  const next = await crashed(scene, ['first', 'second']);
  assert.equal(begun(scene, 2), ['long', 'first'], 'it does not wait for running attempts');
  await next.body(B, work('behind'));
  await next.body(A, work('beside'));
  await until(() => scene.desk.calls.length === 6);
  assert.equal(begun(scene, 4), ['behind', 'beside']);
  assert.equal(
    (await intents(scene.town)).filter(({ suspect }) => suspect).map((it) => it.begun),
    [true, false],
  );
  await scene.clock.advance(30_000);
  assert.is(scene.desk.calls.length, 6);
  scene.desk.call(3).resolve('innocent');
  await until(() => scene.desk.calls.length === 7);
  assert.is(scene.desk.call(6).job.id, 'second');
});

within('a crash makes running attempts suspects, and never waiting ones', async (scene) => {
  const narrow = { work: { ...scene.desk.activities.work, runningMax: 2, runningPerGroupMax: 2 } };
  const house = await scene.town.build('n1', narrow);
  await house.take(ALL);
  await house.body(A, { type: 'open' });
  for (const id of ['1', '2', '3', '4']) await house.body(A, work(id, { inMs: 600_000 }));
  await until(() => scene.desk.calls.length === 2);
  const next = await scene.build('n2');
  await scene.town.kill(house, 'own-hand');
  await next.take(ALL);
  await until(() => scene.desk.calls.length === 4 || scene.desk.calls.length === 5);
  await scene.clock.advance(3_000);
  const seen = (await intents(scene.town)).map(({ suspect, attempt, begun }) => [suspect, attempt, begun]);
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
    await until(() => scene.desk.calls.length === 5);
    const last = await scene.build('n3');
    await scene.town.kill(next, 'own-hand');
    await last.take(ALL);
    await scene.clock.advance(3_000);
    const seen = (await intents(scene.town)).map(({ suspect, deaths, attempt }) => [suspect, deaths, attempt]);
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
  await until(async () => (await heardBy(next)).length === 4);
  const ends = (await heardBy(next)).filter((end) => typeof end === 'object') as { code: string; message: string }[];
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
    const node = async (name: string): Promise<House> => {
      const house: House = await scene.town.build(
        name,
        handlerOf(() => house.incarnation),
      );
      return house;
    };
    let house = await node('n0');
    await house.take(ALL);
    await house.body(A, { type: 'open' });
    for (let i = 0; i < 100; i++) await house.body(A, work(String(i), { inMs: 60_000 }));
    const suspects = new Set<string>();
    let crashes = 0;
    await until(async () => {
      await scene.clock.advance(100);
      if (crash.incarnation !== '') {
        const fresh = await node(`n${++crashes}`);
        await scene.town.kill(house, 'own-hand');
        crash.incarnation = '';
        house = fresh;
        await house.take(ALL);
      }
      for (const { body, id } of await scene.town.store.rows({ collection: '$intents', limit: 200 })) {
        if ((JSON.parse(body) as ActivityRecord).suspect) suspects.add(id);
      }
      return (await intents(scene.town)).length === 0;
    });
    const heard = (await heardBy(house)).filter((text) => !String(text).startsWith('attempt'));
    const failures = heard.filter((end) => typeof end === 'object') as { code: string }[];
    assert.equal([crashes, failures.map(({ code }) => code)], [4, ['convicted']]);
    assert.equal(heard.length, 100);
    assert.ok(suspects.size <= 40, `${suspects.size} suspects of four crashes with ten running`);
  },
);

within('an attempt whose actor is quarantined delays no other, and runs when the actor serves', async (scene) => {
  const house = await first(scene);
  await house.body(A, work('suspect', { inMs: 3_600_000 }));
  await until(() => scene.desk.calls.length === 1);
  const next = await scene.build('n2');
  let serves = false;
  scene.town.wire = ({ to, event }, pass) =>
    event.type === '$begin' && to === A && !serves
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
