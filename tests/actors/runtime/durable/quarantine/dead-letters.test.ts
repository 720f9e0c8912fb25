/** Messages whose receiver's build does not have the kind: they wait, and end as dead letters of their sender. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { ActorEvent } from '../../../../../actors/runtime/actor/event.ts';
import { KIND_WAIT_MS } from '../../../../../actors/runtime/durable/outgoing/outbox.ts';
import { bounded } from '../../../../support/bounded.ts';
import { senderKind } from '../../../example-kinds/sender.ts';
import { HandClock } from '../hand-clock.ts';
import { inShard, type Stage, Stages, turns } from '../stage.ts';

const it = bounded(test);
const A = inShard('sender', 0, 'a');
const B = inShard('sender', 1, 'b');
/** In the shard of `B`, of a kind that the older build does not have. */
const NEW = inShard('counter', 1, 'new');

interface Scene {
  readonly stages: Stages;
  readonly clock: HandClock;
  /** The newer build serves the sender, the older one the receivers. */
  readonly newer: Stage;
  readonly older: Stage;
}

const within = (title: string, run: (scene: Scene) => Promise<void>): void =>
  it(title, async () => {
    const clock = new HandClock();
    const stages = new Stages(clock);
    try {
      const newer = await stages.open('n1');
      const older = await stages.open('n2', {}, [senderKind]);
      await newer.take([0]);
      await older.take([1]);
      for (const [stage, address] of [
        [newer, A],
        [older, B],
      ] as const) {
        await stage.body(address, { type: 'open' });
      }
      await run({ stages, clock, newer, older });
    } finally {
      await stages.close();
    }
  });

const adds = (...numbers: readonly number[]): ActorEvent => ({
  type: 'post',
  messages: numbers.map((by) => ({ to: NEW, event: { type: 'add', by } })),
});
const deadLetters = (stages: Stages) => stages.store.rows({ collection: '$dead-letters', limit: 100 });
const outbox = (stages: Stages) => stages.store.rows({ collection: '$outbox', limit: 100 });
const total = async (stage: Stage): Promise<number> =>
  ((await stage.body(NEW, { type: 'read' })) as { total: number }).total;
const moveToNewer = async ({ older, newer }: Scene): Promise<void> => {
  await older.engine.release(1);
  await newer.take([1]);
};

within(
  'a message to a kind that only the newer build has waits while both builds run, and arrives once, in order',
  async (scene) => {
    const { stages, clock, newer } = scene;
    await newer.body(A, adds(1, 2));
    await newer.body(A, { type: 'post', messages: [{ to: B, event: { type: 'note', note: 'hello' } }] });
    await clock.advance(KIND_WAIT_MS - 60_000);
    assert.is((await outbox(stages)).length, 2, 'the note was delivered, the others wait');
    assert.equal(await deadLetters(stages), []);
    await moveToNewer(scene);
    await clock.advance(20_000);
    assert.is(await total(newer), 3);
    assert.equal([await outbox(stages), await deadLetters(stages)], [[], []]);
  },
);

within(
  'a message to a kind unknown for too long becomes a dead letter of its sender, and the following ones at once',
  async (scene) => {
    const { stages, clock, newer } = scene;
    await newer.body(A, adds(1, 2));
    await clock.advance(KIND_WAIT_MS + 60_000);
    const seen = await newer.engine.inspect(A);
    assert.equal(
      seen?.deadLetters.map(({ address, source, from, event }) => [address, source, from, event]),
      [
        [A, 'outbox', A, 'add'],
        [A, 'outbox', A, 'add'],
      ],
    );
    assert.match(seen?.explanation.join('\n') ?? '', /no kind of actor is called counter/);
    assert.equal([seen?.outbox, await outbox(stages)], [[], []]);
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
    const [late, dropped] = (await deadLetters(stages)).map(({ id }) => id) as [string, string];
    assert.is(await newer.body(A, { type: '$retry', id: late }), 'taken');
    assert.is(await newer.body(A, { type: '$retry', id: late }), 'none');
    assert.is(await newer.body(A, { type: '$skip', id: dropped }), 'taken');
    await clock.advance(1_000);
    assert.is(await total(newer), 11);
    assert.equal([await outbox(stages), await deadLetters(stages)], [[], []]);
  },
);

within('a sender dropped meanwhile loses no message: its next owner starts the wait again', async (scene) => {
  const { stages, clock, newer } = scene;
  await newer.body(A, adds(1));
  await clock.advance(KIND_WAIT_MS - 60_000);
  const next = await stages.open('n3');
  await newer.engine.release(0);
  await next.take([0]);
  await clock.advance(KIND_WAIT_MS - 60_000);
  assert.equal([(await outbox(stages)).length, await deadLetters(stages)], [1, []]);
  await clock.advance(120_000);
  assert.equal([await outbox(stages), (await deadLetters(stages)).length], [[], 1]);
});

within('the wait for a kind starts again after an owner that has the kind', async (scene) => {
  const { stages, clock, newer, older } = scene;
  await newer.body(A, adds(1));
  await clock.advance(KIND_WAIT_MS - 60_000);
  await moveToNewer(scene);
  stages.wire = async ({ to }) => {
    throw new AskError(to, { code: 'refused', detail: 'the store is out of reach' });
  };
  await clock.advance(120_000);
  stages.wire = (_, pass) => pass();
  await newer.engine.release(1);
  await older.take([1]);
  await clock.advance(60_000);
  assert.equal([(await outbox(stages)).length, await deadLetters(stages)], [1, []]);
});

within('the dead letter is written again while the store refuses it, and nothing is lost', async (scene) => {
  const { stages, clock, newer } = scene;
  await newer.body(A, adds(1));
  const store = newer.store as typeof stages.store;
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  await clock.advance(KIND_WAIT_MS + 60_000);
  assert.equal([(await outbox(stages)).length, await deadLetters(stages)], [1, []]);
  store.fault = null;
  await clock.advance(60_000);
  assert.equal([await outbox(stages), (await deadLetters(stages)).length], [[], 1]);
});

within(
  'a message that its receiver can neither process nor store becomes a dead letter of its sender after five tries',
  async (scene) => {
    const { stages, clock, newer } = scene;
    stages.wire = async ({ to, event }, pass) => {
      if (to === B && event.last !== undefined) throw new AskError(to, { code: 'failed', detail: 'it is too odd' });
      return pass();
    };
    await newer.body(A, { type: 'post', messages: [{ to: B, event: { type: 'note', note: 'odd' } }] });
    await clock.advance(60_000);
    await turns();
    const [row] = await deadLetters(stages);
    assert.is(row?.address, A);
    assert.is((JSON.parse(row?.body ?? '{}') as { times: number }).times, 5);
    assert.equal(await outbox(stages), []);
  },
);

test.run();
