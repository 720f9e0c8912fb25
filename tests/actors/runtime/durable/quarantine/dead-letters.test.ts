/** Messages whose receiver's build does not have the kind: they wait, and end as dead letters of their sender. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { ActorEvent } from '../../../../../actors/runtime/actor/event.ts';
import { KIND_WAIT_MS } from '../../../../../actors/runtime/durable/outgoing/outbox.ts';
import { bounded } from '../../../../support/bounded.ts';
import { postmanKind } from '../../../example-kinds/postman.ts';
import { HandClock } from '../hand-clock.ts';
import { turns } from '../stage.ts';
import { type House, inShard, Town } from '../town.ts';

const it = bounded(test, 20_000);
const A = inShard('postman', 0, 'a');
const B = inShard('postman', 1, 'b');
/** In the shard of `B`, of a kind that the older build does not have. */
const NEW = inShard('counter', 1, 'new');

interface Scene {
  readonly town: Town;
  readonly clock: HandClock;
  /** The newer build serves the sender, the older one the receivers. */
  readonly newer: House;
  readonly older: House;
}

const within = (title: string, run: (scene: Scene) => Promise<void>): void =>
  it(title, async () => {
    const clock = new HandClock();
    const town = new Town(clock);
    try {
      const newer = await town.build('n1');
      const older = await town.build('n2', {}, [postmanKind]);
      await newer.take([0]);
      await older.take([1]);
      for (const [house, address] of [
        [newer, A],
        [older, B],
      ] as const) {
        await house.body(address, { type: 'open' });
      }
      await run({ town, clock, newer, older });
    } finally {
      await town.close();
    }
  });

const adds = (...numbers: readonly number[]): ActorEvent => ({
  type: 'post',
  letters: numbers.map((by) => ({ to: NEW, event: { type: 'add', by } })),
});
const asides = (town: Town) => town.store.rows({ collection: '$aside', limit: 100 });
const outbox = (town: Town) => town.store.rows({ collection: '$outbox', limit: 100 });
const total = async (house: House): Promise<number> =>
  ((await house.body(NEW, { type: 'read' })) as { total: number }).total;
const moveToNewer = async ({ older, newer }: Scene): Promise<void> => {
  await older.engine.release(1);
  await newer.take([1]);
};

within(
  'a message to a kind that only the newer build has waits while both builds run, and arrives once, in order',
  async (scene) => {
    const { town, clock, newer } = scene;
    await newer.body(A, adds(1, 2));
    await newer.body(A, { type: 'post', letters: [{ to: B, event: { type: 'note', note: 'hello' } }] });
    await clock.advance(KIND_WAIT_MS - 60_000);
    assert.is((await outbox(town)).length, 2, 'the note was delivered, the others wait');
    assert.equal(await asides(town), []);
    await moveToNewer(scene);
    await clock.advance(20_000);
    assert.is(await total(newer), 3);
    assert.equal([await outbox(town), await asides(town)], [[], []]);
  },
);

within(
  'a message to a kind unknown for too long becomes a dead letter of its sender, and the following ones at once',
  async (scene) => {
    const { town, clock, newer } = scene;
    await newer.body(A, adds(1, 2));
    await clock.advance(KIND_WAIT_MS + 60_000);
    const seen = await newer.engine.inspect(A);
    assert.equal(
      seen?.aside.map(({ address, source, from, event }) => [address, source, from, event]),
      [
        [A, 'letter', A, 'add'],
        [A, 'letter', A, 'add'],
      ],
    );
    assert.match(seen?.explanation.join('\n') ?? '', /no kind of actor is called counter/);
    assert.equal([seen?.outbox, await outbox(town)], [[], []]);
    const alarms = newer.recorded.logged.filter(({ level }) => level === 'error');
    assert.equal(
      alarms.map(({ address, to }) => [address, to]),
      [
        [A, NEW],
        [A, NEW],
      ],
    );

    // When a node has the kind: the later message first, then the older one on the operator's retry, each once.
    await moveToNewer(scene);
    await newer.body(A, adds(10));
    await clock.advance(1_000);
    const [late, dropped] = (await asides(town)).map(({ id }) => id) as [string, string];
    assert.is(await newer.body(A, { type: '$retry', id: late }), 'taken');
    assert.is(await newer.body(A, { type: '$retry', id: late }), 'none');
    assert.is(await newer.body(A, { type: '$skip', id: dropped }), 'taken');
    await clock.advance(1_000);
    assert.is(await total(newer), 11);
    assert.equal([await outbox(town), await asides(town)], [[], []]);
  },
);

within('a sender dropped meanwhile loses no message: its next owner starts the wait again', async (scene) => {
  const { town, clock, newer } = scene;
  await newer.body(A, adds(1));
  await clock.advance(KIND_WAIT_MS - 60_000);
  const next = await town.build('n3');
  await newer.engine.release(0);
  await next.take([0]);
  await clock.advance(KIND_WAIT_MS - 60_000);
  assert.equal([(await outbox(town)).length, await asides(town)], [1, []]);
  await clock.advance(120_000);
  assert.equal([await outbox(town), (await asides(town)).length], [[], 1]);
});

within('the dead letter is written again while the store refuses it, and nothing is lost', async (scene) => {
  const { town, clock, newer } = scene;
  await newer.body(A, adds(1));
  const store = newer.store as typeof town.store;
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  await clock.advance(KIND_WAIT_MS + 60_000);
  assert.equal([(await outbox(town)).length, await asides(town)], [1, []]);
  store.fault = null;
  await clock.advance(60_000);
  assert.equal([await outbox(town), (await asides(town)).length], [[], 1]);
});

within(
  'a message that its receiver can neither process nor store becomes a dead letter of its sender after five tries',
  async (scene) => {
    const { town, clock, newer } = scene;
    town.wire = async ({ to, event }, pass) => {
      if (to === B && event.last !== undefined) throw new AskError(to, { code: 'failed', detail: 'it is too odd' });
      return pass();
    };
    await newer.body(A, { type: 'post', letters: [{ to: B, event: { type: 'note', note: 'odd' } }] });
    await clock.advance(60_000);
    await turns();
    const [row] = await asides(town);
    assert.is(row?.address, A);
    assert.is((JSON.parse(row?.body ?? '{}') as { times: number }).times, 5);
    assert.equal(await outbox(town), []);
  },
);

test.run();
