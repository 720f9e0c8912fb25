/** A refused message fails the sending cascade: nothing is committed, and its sender receives the cause. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActorEvent, Json } from '../../../../actors/runtime/actor/event.ts';
import type { Kind } from '../../../../actors/runtime/actor/kind.ts';
import { bounded } from '../../../support/bounded.ts';
import { DamagedStore } from '../../../support/damaged-store.ts';
import { clerkKind } from '../../example-kinds/clerk.ts';
import { vaultKind } from '../../example-kinds/vault.ts';
import { Desk } from './desk.ts';
import { HandClock } from './hand-clock.ts';
import { openStage, SHARDS, turns, until } from './stage.ts';
import { type House, inShard, Town } from './town.ts';

const it = bounded(test, 10_000);
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];
/** Without resident kinds, so that activation adds no step: the test causes every step. */
const clerk: Kind = { ...clerkKind, resident: false };
const A = inShard('clerk', 0, 'a');
const FAR = inShard('clerk', 1, 'f');
const vaultOf = (address: string): string => address.replace('clerk:', 'vault:');

interface Scene {
  readonly clock: HandClock;
  readonly town: Town;
  readonly desk: Desk;
  readonly house: House;
}

const within = (title: string, run: (scene: Scene) => Promise<void>): void =>
  it(title, async () => {
    const clock = new HandClock();
    const town = new Town(clock);
    const desk = new Desk();
    try {
      const house = await town.build('n1', desk.activities, [clerk, vaultKind]);
      await house.take(ALL);
      for (const address of [A, FAR]) {
        await house.body(address, { type: 'open' });
        await house.body(vaultOf(address), { type: 'fill', amount: 100 });
      }
      await run({ clock, town, desk, house });
    } finally {
      await town.close();
    }
  });

const bill = (id: string, amount: number, at = A) => ({ type: 'bill', bill: id, amount, vault: vaultOf(at) });
const showOf = async (house: House, address = A) => {
  const shown = (await house.body(address, { type: 'open' })) as { booked: number; told: string[] };
  return { booked: shown.booked, told: shown.told.map((text) => JSON.parse(text) as Record<string, Json>) };
};
const billsOf = async ({ town }: Scene, address = A): Promise<Json[]> =>
  (await town.store.rows({ collection: 'bill', address, limit: 100 })).map(({ body }) => JSON.parse(body) as Json);
const deadLetters = (town: Town) => town.store.rows({ collection: '$aside', limit: 100 });
const amountIn = (house: House, address = A) => house.body(vaultOf(address), { type: 'show' });
const deadLettersOf = async (house: House, address = A) => (await house.engine.inspect(address))?.aside ?? [];
const REFUSAL = (by: string, left = 100) => ({ by, event: 'take', body: { short: left } });

within('an ask to the refusing actor itself is answered with the refusal, and changes nothing', async (scene) => {
  const { house } = scene;
  const { entries } = house.engine.gauges;
  assert.equal(await house.body(vaultOf(A), { type: 'take', amount: 101 }), { short: 100 });
  assert.is(house.engine.gauges.entries, entries);
  assert.is(await amountIn(house), 100);
});

within('a refused message undoes the step that sent it, and the answer names actor and event', async (scene) => {
  const { house } = scene;
  const { entries } = house.engine.gauges;
  const answer = await house.ask(A, bill('b1', 101));
  assert.ok(!answer.ok && answer.failure.code === 'rejected', JSON.stringify(answer));
  assert.equal(answer.failure.refusal, REFUSAL(vaultOf(A)));
  assert.match(answer.failure.detail, /^vault:.* refused take: \{"short":100\}$/);
  assert.equal([(await showOf(house)).booked, await billsOf(scene)], [0, []]);
  assert.is(house.engine.gauges.entries, entries);
  assert.is(await house.body(A, bill('b2', 30)), 70);
  assert.equal([(await showOf(house)).booked, await billsOf(scene)], [1, [{ id: 'b2', state: 'paid' }]]);
});

within('a refusal is answered only after the state it depends on is durable', async ({ house, town }) => {
  const resume = (house.store as Town['store']).pauseCommits();
  const asked: string[] = [];
  const note = (name: string) => (): void => void asked.push(name);
  const paid = house.ask(vaultOf(A), { type: 'take', amount: 90 }).then(note('paid'));
  const refused = house.ask(vaultOf(A), { type: 'take', amount: 90 }).then(note('refused'));
  const rejected = house.ask(A, bill('b1', 90)).then(note('rejected'));
  await turns(20);
  assert.equal(asked, []);
  resume();
  await Promise.all([paid, refused, rejected]);
  assert.equal(asked, ['paid', 'refused', 'rejected']);
  assert.equal(await deadLetters(town), []);
});

/** The three sources of input without a caller to answer. Each leads to a bill that the vault refuses. */
const INPUTS: Readonly<Record<string, (scene: Scene, event: ActorEvent) => Promise<void>>> = {
  timer: async ({ house, clock }, letter) => {
    await house.body(A, { type: 'remind', letter });
    await clock.advance(5);
  },
  message: async ({ house, clock, town }, letter) => {
    await house.body(FAR, { type: 'post', to: A, letter });
    await until(async () => {
      await clock.advance(50);
      return (await town.store.rows({ collection: '$outbox', limit: 1 })).length === 0;
    });
  },
  result: async ({ house, desk, clock }, letter) => {
    await house.body(A, { type: 'work', id: 'w' });
    await until(() => desk.calls.length === 1);
    desk.call(0).resolve(letter);
    await until(async () => {
      await clock.advance(50);
      return house.engine.activities.size === 0;
    });
  },
};

for (const [source, bring] of Object.entries(INPUTS)) {
  const type = source === 'result' ? 'work.done' : 'bill';

  within(`a ${source} whose step is refused is stepped once more, as an event with the refusal`, async (scene) => {
    const { house, town } = scene;
    await house.body(A, { type: 'mood', mood: 'copes' });
    await bring(scene, bill('b1', 101));
    const { booked, told } = await showOf(house);
    assert.is(booked, 0, 'the first step left nothing');
    assert.is(told.length, 1);
    assert.is(told[0]?.type, `${type}.refused`);
    assert.equal(told[0]?.refusal, REFUSAL(vaultOf(A)));
    const members = (told[0]?.result ?? told[0]) as Record<string, Json>;
    assert.equal([members.bill, members.amount], ['b1', 101]);
    assert.equal(await billsOf(scene), [{ id: 'b1', state: 'failed' }]);
    assert.equal(await deadLetters(town), []);
    assert.equal((await house.engine.inspect(A))?.timers, []);
    assert.equal(await town.store.rows({ collection: '$intents', limit: 1 }), []);
  });

  within(
    `a ${source} whose chart does not handle the refusal is a dead letter at once, with its cause`,
    async (scene) => {
      const { house } = scene;
      await bring(scene, bill('b1', 101));
      const [letter, ...more] = await deadLettersOf(house);
      assert.equal([letter?.source, letter?.event, letter?.times, more.length], [source, type, 1, 0]);
      const why = new RegExp(
        `vault:.* refused take: .*short.*100.*; clerk:.* does not handle ${type}.refused in state up`,
      );
      assert.match(letter?.failure ?? '', why);
      assert.ok((await house.engine.inspect(A))?.explanation.some((line) => why.test(line)));
      assert.equal([(await showOf(house)).booked, await billsOf(scene)], [0, []]);
      assert.is(house.engine.gauges.deadLetters, 1);
      const logged = house.recorded.logged.filter(({ level }) => level === 'error');
      assert.is(logged.length, 1);
      assert.match(String(logged[0]?.detail), why);
      const { steps } = house.engine.gauges;
      await scene.clock.advance(100_000);
      assert.is(house.engine.gauges.steps, steps, 'it is not tried again by itself');

      const id = letter?.id ?? '';
      const again = await house.ask(A, { type: '$retry', id });
      assert.ok(!again.ok && again.failure.code === 'failed' && why.test(again.failure.detail));
      assert.is((await deadLettersOf(house)).length, 1);
      await house.body(vaultOf(A), { type: 'fill', amount: 1 });
      assert.is(await house.body(A, { type: '$retry', id }), 'taken');
      assert.equal([await amountIn(house), await deadLettersOf(house)], [0, []]);
      assert.equal(await billsOf(scene), [{ id: 'b1', state: 'paid' }]);
    },
  );

  within(`a ${source} that is refused again in its second step is a dead letter and is not repeated`, async (scene) => {
    const { house } = scene;
    await house.body(A, { type: 'mood', mood: 'stubborn' });
    const { steps } = house.engine.gauges;
    await bring(scene, bill('b1', 101));
    const [letter] = await deadLettersOf(house);
    assert.is(letter?.source, source);
    assert.match(letter?.failure ?? '', /vault:.* refused take.*; vault:.* refused take/);
    assert.equal((await showOf(house)).told, []);
    assert.ok(house.engine.gauges.steps - steps <= 6);
  });

  within(`a ${source} that throws in its second step is tried five times`, async (scene) => {
    const { house, clock } = scene;
    await house.body(A, { type: 'mood', mood: 'broken' });
    await bring(scene, bill('b1', 101));
    await clock.advance(100_000);
    const [letter] = await deadLettersOf(house);
    assert.equal([letter?.times, letter?.event], [5, type]);
    assert.match(letter?.failure ?? '', /it cannot cope/);
  });
}

within('a chart and a caller receive a refusal when a receiver does not handle the message', async (scene) => {
  const { house } = scene;
  await house.body(vaultOf(A), { type: 'close' });
  const answer = await house.ask(A, bill('b1', 1));
  assert.ok(!answer.ok && answer.failure.code === 'rejected', JSON.stringify(answer));
  assert.equal(answer.failure.refusal, { by: vaultOf(A), event: 'take', body: { unhandled: 'closed' } });
  assert.match(answer.failure.detail, /does not handle take in state closed/);
  await house.body(A, { type: 'mood', mood: 'copes' });
  await INPUTS.timer?.(scene, bill('b1', 1));
  assert.equal((await showOf(house)).told[0]?.refusal, answer.failure.refusal);
  assert.equal(await billsOf(scene), [{ id: 'b1', state: 'failed' }]);
  assert.is((await house.engine.inspect(vaultOf(A)))?.version, 2, 'filled and closed, nothing else');
});

within('an input that its own actor refuses is a dead letter at once', async (scene) => {
  const { house } = scene;
  await INPUTS.message?.(scene, { type: 'decline' });
  await INPUTS.timer?.(scene, { type: 'decline' });
  const letters = await deadLettersOf(house);
  assert.equal(letters.map(({ source }) => source).sort(), ['message', 'timer']);
  for (const { failure, times } of letters) {
    assert.equal([failure, times], [`${A} refused decline: "not here"`, 1]);
  }
});

within('a refused tell is logged and not stored', async ({ house, town }) => {
  house.tell(A, bill('b1', 101));
  await turns(20);
  const [warning] = house.recorded.logged.filter(({ level }) => level !== 'info');
  assert.equal([warning?.level, warning?.address, warning?.event], ['warn', A, 'bill']);
  assert.match(String(warning?.detail), /refused take/);
  assert.equal(await deadLetters(town), []);
});

within('a step that refuses and has any other effect is a failure of its chart', async ({ house }) => {
  for (const type of ['sloppy', 'both']) {
    const answer = await house.ask(vaultOf(A), { type, amount: 1 });
    assert.ok(!answer.ok && answer.failure.code === 'failed');
    assert.match(answer.failure.detail, /must not change state or return further effects/);
  }
  assert.is(await amountIn(house), 100);
});

it('a deferred ask of a quarantined actor that is refused there is one dead letter, stepped once', async () => {
  const clock = new HandClock();
  const store = new DamagedStore({ clock, shards: SHARDS });
  const open = () => openStage({ store, clock, kinds: [clerk, vaultKind] });
  const vault = 'vault:acct_1/v';
  const first = await open();
  await first.body(vault, { type: 'fill', amount: 5 });
  await first.close();
  store.flip(vault);
  const stage = await open();
  const answer = await stage.ask(vault, { type: 'take', amount: 6 });
  assert.ok(!answer.ok && answer.failure.code === 'quarantined' && answer.failure.kept);
  store.mend();
  await stage.engine.reload(vault);
  await until(async () => (await stage.engine.inspect(vault))?.aside[0]?.times === 1);
  const [letter, ...more] = (await stage.engine.inspect(vault))?.aside ?? [];
  assert.equal([letter?.source, letter?.event, more.length], ['ask', 'take', 0]);
  assert.match(letter?.failure ?? '', /vault:acct_1\/v refused take: \{"short":5\}/);
  await stage.close();
  const next = await open();
  const { steps } = next.engine.gauges;
  assert.is(await next.body(vault, { type: 'fill', amount: 1 }), 6);
  assert.is(next.engine.gauges.steps, steps + 1, 'it is not given again');
  assert.is(await next.body(vault, { type: '$retry', id: letter?.id ?? '' }), 'taken');
  assert.is(await next.body(vault, { type: 'show' }), 0);
  await next.close();
});

test.run();
