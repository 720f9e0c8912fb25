/** A refused message fails the sending cascade: nothing is committed, and its sender receives the cause. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActorEvent, Json } from '../../../../actors/runtime/actor/event.ts';
import { bounded } from '../../../support/bounded.ts';
import { DamagedStore } from '../../../support/damaged-store.ts';
import { clerkKind } from '../../example-kinds/clerk.ts';
import { purseKind } from '../../example-kinds/purse.ts';
import { A, type ClerkScene, clerkScenes, deadLettersOf, FAR, PURSE_AMOUNT, purseOf } from './clerk-scene.ts';
import { HandClock } from './hand-clock.ts';
import type { Stages } from './stage.ts';
import { openStage, SHARDS, type Stage, turns, until } from './stage.ts';

const it = bounded(test);
const within = clerkScenes(test);

const bill = (id: string, amount: number, at = A) => ({ type: 'bill', bill: id, amount, purse: purseOf(at) });
const showOf = async (stage: Stage, address = A) => {
  const shown = (await stage.body(address, { type: 'open' })) as { booked: number; told: string[] };
  return { booked: shown.booked, told: shown.told.map((text) => JSON.parse(text) as Record<string, Json>) };
};
const billsOf = async ({ stages }: ClerkScene, address = A): Promise<Json[]> =>
  (await stages.store.rows({ collection: 'bill', address, limit: 100 })).map(({ body }) => JSON.parse(body) as Json);
const deadLetters = (stages: Stages) => stages.store.rows({ collection: '$dead-letters', limit: 100 });
const amountIn = (stage: Stage, address = A) => stage.body(purseOf(address), { type: 'show' });
const REFUSAL = (by: string, left = PURSE_AMOUNT) => ({ by, event: 'take', body: { short: left } });

within('an ask to the refusing actor itself is answered with the refusal, and changes nothing', async (scene) => {
  const { stage } = scene;
  const { entries } = stage.engine.gauges;
  assert.equal(await stage.body(purseOf(A), { type: 'take', amount: 101 }), { short: 100 });
  assert.is(stage.engine.gauges.entries, entries);
  assert.is(await amountIn(stage), 100);
});

within('a refused message undoes the step that sent it, and the answer names actor and event', async (scene) => {
  const { stage } = scene;
  const { entries } = stage.engine.gauges;
  const answer = await stage.ask(A, bill('b1', 101));
  assert.ok(!answer.ok && answer.failure.code === 'rejected', JSON.stringify(answer));
  assert.equal(answer.failure.refusal, REFUSAL(purseOf(A)));
  assert.match(answer.failure.detail, /^purse:.* refused take: \{"short":100\}$/);
  assert.equal([(await showOf(stage)).booked, await billsOf(scene)], [0, []]);
  assert.is(stage.engine.gauges.entries, entries);
  assert.is(await stage.body(A, bill('b2', 30)), 70);
  assert.equal([(await showOf(stage)).booked, await billsOf(scene)], [1, [{ id: 'b2', state: 'paid', times: 1 }]]);
});

within('a refusal is answered only after the state it depends on is durable', async ({ stage, stages }) => {
  const resume = (stage.store as Stages['store']).pauseCommits();
  const asked: string[] = [];
  const note = (name: string) => (): void => void asked.push(name);
  const paid = stage.ask(purseOf(A), { type: 'take', amount: 90 }).then(note('paid'));
  const refused = stage.ask(purseOf(A), { type: 'take', amount: 90 }).then(note('refused'));
  const rejected = stage.ask(A, bill('b1', 90)).then(note('rejected'));
  await turns(20);
  assert.equal(asked, []);
  resume();
  await Promise.all([paid, refused, rejected]);
  assert.equal(asked, ['paid', 'refused', 'rejected']);
  assert.equal(await deadLetters(stages), []);
});

/** The three sources of input without a caller to answer. Each leads to a bill that the purse refuses. */
const INPUTS: Readonly<Record<string, (scene: ClerkScene, event: ActorEvent) => Promise<void>>> = {
  timer: async ({ stage, clock }, event) => {
    await stage.body(A, { type: 'remind', message: event });
    await clock.advance(5);
  },
  message: async ({ stage, clock, stages }, event) => {
    await stage.body(FAR, { type: 'post', to: A, message: event });
    await clock.advanceUntil(
      50,
      async () => (await stages.store.rows({ collection: '$outbox', limit: 1 })).length === 0,
    );
  },
  result: async ({ stage, held, clock }, event) => {
    await stage.body(A, { type: 'work', id: 'w' });
    await held.made(1);
    held.call(0).resolve(event);
    await clock.advanceUntil(50, () => stage.engine.activities.size === 0);
  },
};

for (const [source, bring] of Object.entries(INPUTS)) {
  const type = source === 'result' ? 'work.done' : 'bill';

  within(`a ${source} whose step is refused is stepped once more, as an event with the refusal`, async (scene) => {
    const { stage, stages } = scene;
    await stage.body(A, { type: 'mood', mood: 'copes' });
    await bring(scene, bill('b1', 101));
    const { booked, told } = await showOf(stage);
    assert.is(booked, 0, 'the first step left nothing');
    assert.is(told.length, 1);
    assert.is(told[0]?.type, `${type}.refused`);
    assert.equal(told[0]?.refusal, REFUSAL(purseOf(A)));
    const members = (told[0]?.result ?? told[0]) as Record<string, Json>;
    assert.equal([members.bill, members.amount], ['b1', 101]);
    assert.equal(await billsOf(scene), [{ id: 'b1', state: 'failed', times: 1 }]);
    assert.equal(await deadLetters(stages), []);
    assert.equal((await stage.engine.inspect(A))?.timers, []);
    assert.equal(await stages.store.rows({ collection: '$activities', limit: 1 }), []);
  });

  within(
    `a ${source} whose chart does not handle the refusal is a dead letter at once, with its cause`,
    async (scene) => {
      const { stage } = scene;
      await bring(scene, bill('b1', 101));
      const [letter, ...more] = await deadLettersOf(stage);
      assert.equal([letter?.source, letter?.event, letter?.times, more.length], [source, type, 1, 0]);
      const why = new RegExp(
        `purse:.* refused take: .*short.*100.*; clerk:.* does not handle ${type}.refused in state up`,
      );
      assert.match(letter?.failure ?? '', why);
      assert.ok((await stage.engine.inspect(A))?.explanation.some((line) => why.test(line)));
      assert.equal([(await showOf(stage)).booked, await billsOf(scene)], [0, []]);
      assert.is(stage.engine.gauges.deadLetters, 1);
      const logged = stage.recorded.logged.filter(({ level }) => level === 'error');
      assert.is(logged.length, 1);
      assert.match(String(logged[0]?.detail), why);
      const { steps } = stage.engine.gauges;
      await scene.clock.advance(100_000);
      assert.is(stage.engine.gauges.steps, steps, 'it is not tried again by itself');

      const id = letter?.id ?? '';
      const again = await stage.ask(A, { type: '$retry', id });
      assert.ok(!again.ok && again.failure.code === 'failed' && why.test(again.failure.detail));
      assert.is((await deadLettersOf(stage)).length, 1);
      await stage.body(purseOf(A), { type: 'fill', amount: 1 });
      assert.is(await stage.body(A, { type: '$retry', id }), 'taken');
      assert.equal([await amountIn(stage), await deadLettersOf(stage)], [0, []]);
      assert.equal(await billsOf(scene), [{ id: 'b1', state: 'paid', times: 1 }]);
    },
  );

  within(`a ${source} that is refused again in its second step is a dead letter and is not repeated`, async (scene) => {
    const { stage, clock } = scene;
    await stage.body(A, { type: 'mood', mood: 'stubborn' });
    await bring(scene, bill('b1', 101));
    const [letter] = await deadLettersOf(stage);
    assert.is(letter?.source, source);
    assert.match(letter?.failure ?? '', /purse:.* refused take.*; purse:.* refused take/);
    assert.equal((await showOf(stage)).told, []);
    const { steps } = stage.engine.gauges;
    await clock.advance(100_000);
    assert.is(stage.engine.gauges.steps, steps);
  });

  within(`a ${source} that throws in its second step is tried five times`, async (scene) => {
    const { stage, clock } = scene;
    await stage.body(A, { type: 'mood', mood: 'broken' });
    await bring(scene, bill('b1', 101));
    await clock.advance(100_000);
    const [letter] = await deadLettersOf(stage);
    assert.equal([letter?.times, letter?.event], [5, type]);
    assert.match(letter?.failure ?? '', /it cannot cope/);
  });
}

within('a chart and a caller receive a refusal when a receiver does not handle the message', async (scene) => {
  const { stage } = scene;
  await stage.body(purseOf(A), { type: 'close' });
  const answer = await stage.ask(A, bill('b1', 1));
  assert.ok(!answer.ok && answer.failure.code === 'rejected', JSON.stringify(answer));
  assert.equal(answer.failure.refusal, { by: purseOf(A), event: 'take', body: { unhandled: 'closed' } });
  assert.match(answer.failure.detail, /does not handle take in state closed/);
  await stage.body(A, { type: 'mood', mood: 'copes' });
  await INPUTS.timer?.(scene, bill('b1', 1));
  assert.equal((await showOf(stage)).told[0]?.refusal, answer.failure.refusal);
  assert.equal(await billsOf(scene), [{ id: 'b1', state: 'failed', times: 1 }]);
  assert.is((await stage.engine.inspect(purseOf(A)))?.version, 2, 'filled and closed, nothing else');
});

within('an input that its own actor refuses is a dead letter at once', async (scene) => {
  const { stage } = scene;
  await INPUTS.message?.(scene, { type: 'decline' });
  await INPUTS.timer?.(scene, { type: 'decline' });
  const letters = await deadLettersOf(stage);
  assert.equal(letters.map(({ source }) => source).sort(), ['message', 'timer']);
  for (const { failure, times } of letters) {
    assert.equal([failure, times], [`${A} refused decline: "not here"`, 1]);
  }
});

within('a refused tell is logged and not stored', async ({ stage, stages }) => {
  stage.tell(A, bill('b1', 101));
  await turns(20);
  const [warning] = stage.recorded.logged.filter(({ level }) => level === 'warn');
  assert.equal([warning?.level, warning?.address, warning?.event], ['warn', A, 'bill']);
  assert.match(String(warning?.detail), /refused take/);
  assert.equal(await deadLetters(stages), []);
});

within('a step that refuses and has any other effect is a failure of its chart', async ({ stage }) => {
  for (const type of ['sloppy', 'both']) {
    const answer = await stage.ask(purseOf(A), { type, amount: 1 });
    assert.ok(!answer.ok && answer.failure.code === 'failed');
    assert.match(answer.failure.detail, /must not change state or return further effects/);
  }
  assert.is(await amountIn(stage), 100);
});

it('a deferred ask of a quarantined actor that is refused there is one dead letter, stepped once', async () => {
  const clock = new HandClock();
  const store = new DamagedStore({ clock, shards: SHARDS });
  const open = () => openStage({ store, clock, kinds: [clerkKind, purseKind] });
  const purse = 'purse:acct_1/v';
  const first = await open();
  await first.body(purse, { type: 'fill', amount: 5 });
  await first.close();
  store.flip(purse);
  const stage = await open();
  const answer = await stage.ask(purse, { type: 'take', amount: 6 });
  assert.ok(!answer.ok && answer.failure.code === 'quarantined' && answer.failure.deferred);
  store.mend();
  await stage.engine.reload(purse);
  await until(async () => (await stage.engine.inspect(purse))?.deadLetters[0]?.times === 1);
  const [letter, ...more] = (await stage.engine.inspect(purse))?.deadLetters ?? [];
  assert.equal([letter?.source, letter?.event, more.length], ['ask', 'take', 0]);
  assert.match(letter?.failure ?? '', /purse:acct_1\/v refused take: \{"short":5\}/);
  await stage.close();
  const next = await open();
  const { steps } = next.engine.gauges;
  assert.is(await next.body(purse, { type: 'fill', amount: 1 }), 6);
  assert.is(next.engine.gauges.steps, steps + 1, 'it is not given again');
  assert.is(await next.body(purse, { type: '$retry', id: letter?.id ?? '' }), 'taken');
  assert.is(await next.body(purse, { type: 'show' }), 0);
  await next.close();
});

test.run();
