/** An input that its chart does not handle becomes a dead letter at once, unless the chart ignores it explicitly. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assign, setup } from 'xstate';
import { emit } from '../../../../actors/runtime/actor/effect.ts';
import type { ActorEvent } from '../../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../../actors/runtime/actor/kind.ts';
import { bounded } from '../../../support/bounded.ts';
import { clerkKind } from '../../example-kinds/clerk.ts';
import { counterKind } from '../../example-kinds/counter.ts';
import { purseKind } from '../../example-kinds/purse.ts';
import { A, type ClerkScene, clerkScenes, deadLettersOf, FAR, purseOf } from './clerk-scene.ts';
import { HandClock } from './hand-clock.ts';
import { openStage, turns } from './stage.ts';

const it = bounded(test);
const within = clerkScenes(test);

/** Delivers an event through every source without a caller to answer. */
async function bringAll({ stage, clock, held, stages }: ClerkScene, event: ActorEvent): Promise<void> {
  await stage.body(A, { type: 'remind', message: event });
  await stage.body(A, { type: 'work', id: 'w' });
  await held.made(1);
  await stage.body(A, { type: 'leave' });
  await stage.body(FAR, { type: 'post', to: A, message: event });
  held.call(0).resolve(event);
  await clock.advanceUntil(50, async () => {
    const waiting = await stages.store.rows({ collection: '$outbox', limit: 1 });
    return waiting.length === 0 && stage.engine.activities.size === 0;
  });
}

within(
  'a timer, a message and a result that the state does not handle are dead letters after one step',
  async (scene) => {
    const { stage, clock, stages } = scene;
    await bringAll(scene, { type: 'nonsense', purse: 'x' });
    const letters = [...(await deadLettersOf(stage))].sort((a, b) => (a.source < b.source ? -1 : 1));
    assert.equal(
      letters.map(({ source, event, times, failure }) => [source, event, times, failure]),
      [
        ['message', 'nonsense', 1, `${A} does not handle nonsense in state away`],
        ['result', 'work.done', 1, `${A} does not handle work.done in state away`],
        ['timer', 'nonsense', 1, `${A} does not handle nonsense in state away`],
      ],
    );
    const why = (await stage.engine.inspect(A))?.explanation.join('\n') ?? '';
    for (const { id } of letters)
      assert.match(why, new RegExp(`is a dead letter after it failed once.*retry or skip ${A} ${id}`));
    const alarms = stage.recorded.logged.filter(({ level }) => level === 'error');
    assert.equal(alarms.map(({ detail }) => detail).sort(), letters.map(({ failure }) => failure).sort());
    assert.equal([stage.engine.gauges.deadLetters, stage.engine.gauges.unhandled], [3, 3]);
    const { steps } = stage.engine.gauges;
    await clock.advance(100_000);
    assert.is(stage.engine.gauges.steps, steps, 'none is tried again by itself');
    assert.equal((await stage.engine.inspect(A))?.timers, []);
    assert.equal(await stages.store.rows({ collection: '$activities', limit: 1 }), []);
  },
);

within(
  'a retry steps an event that the state handles by then; an unhandled one stays, with the cause',
  async (scene) => {
    const { stage } = scene;
    await stage.body(A, { type: 'mood', mood: 'copes' });
    await bringAll(scene, { type: 'bill.refused', bill: 'b', refusal: 'none' });
    const [letter] = (await deadLettersOf(stage)).filter(({ source }) => source === 'timer');
    const retry = { type: '$retry', id: letter?.id ?? '' };
    const answer = await stage.ask(A, retry);
    assert.ok(!answer.ok && answer.failure.code === 'failed');
    assert.match(answer.failure.detail, /does not handle bill\.refused in state away/);
    assert.is((await deadLettersOf(stage)).length, 3);
    await stage.body(A, { type: 'back' });
    assert.is(await stage.body(A, retry), 'taken');
    assert.is((await deadLettersOf(stage)).length, 2);
    const { told } = (await stage.body(A, { type: 'open' })) as { told: string[] };
    assert.is(told.length, 1);
  },
);

within('a transition whose guard fails does not handle the event', async (scene) => {
  const { stage } = scene;
  await bringAll(scene, { type: 'bill' });
  assert.equal((await deadLettersOf(stage)).map(({ event }) => event).sort(), ['bill', 'bill', 'work.done']);
});

within('an empty transition ignores an event: no write and no dead letter', async (scene) => {
  const { stage, stages } = scene;
  await bringAll(scene, { type: 'remark' });
  assert.equal(
    (await deadLettersOf(stage)).map(({ event }) => event),
    ['work.done'],
  );
  assert.equal((await stages.store.timersOf(A)).length, 0);
  const answer = await stage.ask(A, { type: 'remark' });
  assert.ok(!answer.ok && answer.failure.code === 'unhandled', 'an asker has no reply');
  assert.is(stage.engine.gauges.unhandled, 1);
});

within('an unhandled ask changes nothing; an unhandled tell changes nothing and is logged', async ({ stage }) => {
  await stage.body(A, { type: 'leave' });
  const { entries } = stage.engine.gauges;
  const answer = await stage.ask(A, { type: 'bill' });
  assert.equal(answer, { ok: false, failure: { code: 'unhandled' } });
  stage.tell(A, { type: 'bill' });
  await turns(20);
  const [warning] = stage.recorded.logged.filter(({ level }) => level === 'warn');
  assert.equal([warning?.address, warning?.detail], [A, `${A} does not handle bill in state away`]);
  assert.equal([stage.engine.gauges.entries, await deadLettersOf(stage)], [entries, []]);
});

it('an event that creates an actor creates none if the first state does not handle it', async () => {
  const shy: Kind = { ...clerkKind, name: 'shy', creates: ['open', 'remark'] };
  const stage = await openStage({ kinds: [shy] });
  const answer = await stage.ask('shy:a', { type: 'remark' });
  assert.equal(answer, { ok: false, failure: { code: 'unhandled' } });
  assert.is(await stage.store.loadActor('shy:a'), null);
  assert.is(stage.engine.gauges.cells, 0);
  await stage.close();
});

it('an eventless transition that an unknown event triggers does not count as handling it', async () => {
  const machine = setup({
    types: {} as { context: { n: number }; events: ActorEvent },
    guards: { few: ({ context, event }) => event.type === 'other' && context.n < 3 },
    actions: {
      count: assign({ n: ({ context }) => context.n + 1 }),
      answer: emit<{ n: number }, ActorEvent>(({ context }) => ({ type: 'reply', body: context.n })),
    },
  }).createMachine({
    context: { n: 0 },
    options: { maxIterations: 10 },
    initial: 'on',
    states: { on: { always: { guard: 'few', actions: 'count' } } },
    on: { open: { actions: 'answer' } },
  });
  const stage = await openStage({ kinds: [{ ...counterKind, name: 'busy', machine, creates: ['open'] }] });
  assert.is(await stage.body('busy:a', { type: 'open' }), 0);
  assert.equal(await stage.ask('busy:a', { type: 'other' }), { ok: false, failure: { code: 'unhandled' } });
  assert.is(await stage.body('busy:a', { type: 'open' }), 0);
  await stage.close();
});

it('unhandled notices of the runtime are dead letters too, one for each however often it is delivered', async () => {
  const clock = new HandClock();
  const kinds = [{ ...clerkKind, resident: true }, purseKind];
  const first = await openStage({ clock, kinds });
  await first.body(A, { type: 'open' });
  await first.body(purseOf(A), { type: 'fill', amount: 9 });
  await first.body(A, { type: 'bill', bill: 'b', amount: 1, purse: purseOf(A) });
  await first.body(A, { type: 'leave' });
  await first.body(A, { type: 'back' });
  first.recorded.gone.add('gone');
  for (let i = 0; i < 3; i++) {
    first.engine.nodeDead('gone');
    await clock.advance(10_000);
  }
  const [lost, ...more] = await deadLettersOf(first);
  assert.equal([lost?.source, lost?.event, lost?.times, more.length], ['notice', 'node.lost', 1, 0]);
  assert.is(lost?.failure, `${A} does not handle node.lost in state up`);
  await first.body(A, { type: 'leave' });
  await first.close();

  for (let owners = 0; owners < 2; owners++) {
    const next = await openStage({ clock, kinds, store: first.store });
    await clock.advance(10_000);
    const letters = await deadLettersOf(next);
    assert.equal(letters.map(({ event, times }) => [event, times]).sort(), [
      ['actor.activated', 1],
      ['node.lost', 1],
    ]);
    await next.close();
  }
});

it('a notice on which the chart throws is tried five times and then becomes a dead letter', async () => {
  const clock = new HandClock();
  const stage = await openStage({ clock, kinds: [clerkKind, purseKind] });
  await stage.body(A, { type: 'open' });
  await stage.body(purseOf(A), { type: 'fill', amount: 9 });
  await stage.body(A, { type: 'bill', bill: 'b', amount: 1, purse: purseOf(A) });
  await stage.body(A, { type: 'leave' });
  stage.recorded.gone.add('gone');
  stage.engine.nodeDead('gone');
  await clock.advance(8_000);
  assert.equal(await deadLettersOf(stage), []);
  await clock.advance(8_000);
  const [letter] = await deadLettersOf(stage);
  assert.equal([letter?.source, letter?.event, letter?.times], ['notice', 'node.lost', 5]);
  assert.match(letter?.failure ?? '', /a bad notice/);
  assert.is(stage.recorded.logged.filter(({ message }) => message === 'a step failed').length, 4);
  await stage.close();
});

test.run();
