import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { ActorEvent, Json } from '../../../../../actors/runtime/actor/event.ts';
import { bounded } from '../../../../support/bounded.ts';
import { HandClock } from '../hand-clock.ts';
import { turns, until } from '../stage.ts';
import { type House, inShard, Town } from '../town.ts';

const it = bounded(test, 10_000);
const A = inShard('postman', 0, 'a');
const B = inShard('postman', 1, 'b');
const C = inShard('postman', 2, 'c');
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];

const within = (title: string, run: (town: Town) => Promise<void>, clock?: HandClock): void =>
  it(title, async () => {
    const town = new Town(clock);
    try {
      await run(town);
    } finally {
      await town.close();
    }
  });

const notes = (to: string, ...texts: readonly Json[]): ActorEvent => ({
  type: 'post',
  letters: texts.map((note) => ({ to, event: { type: 'note', note } })),
});
const heardBy = async (house: House, address: string): Promise<Json[]> =>
  ((await house.body(address, { type: 'open' })) as string[]).map((text) => JSON.parse(text) as Json);
const outbox = (town: Town) => town.store.rows({ collection: '$outbox', limit: 1_000 });
const asides = (town: Town) => town.store.rows({ collection: '$aside', limit: 1_000 });

async function open(town: Town): Promise<House> {
  const house = await town.build('n1');
  await house.take(ALL);
  for (const address of [A, B, C]) await house.body(address, { type: 'open' });
  return house;
}

within('a message to another shard arrives once, in order, and its row is removed', async (town) => {
  const house = await open(town);
  await house.body(A, notes(B, 1, 2, 3));
  await house.body(A, notes(B, 4));
  await until(async () => (await heardBy(house, B)).length === 4);
  assert.equal(await heardBy(house, B), [1, 2, 3, 4]);
  await until(async () => (await outbox(town)).length === 0);
  assert.is((await town.store.rows({ collection: '$heard', limit: 10 })).length, 1);
});

within('no message is sent before its commit, and none of a step that throws', async (town) => {
  const house = await open(town);
  const store = house.store as typeof town.store;
  const resume = store.pauseCommits();
  const asked = house.ask(A, notes(B, 'early'));
  await turns(20);
  assert.equal(town.carried, []);
  resume();
  assert.ok((await asked).ok);
  await until(() => town.carried.length === 1);
  const bad = await house.ask(A, {
    type: 'post',
    letters: [
      { to: B, event: { type: 'note', note: 'never' } },
      { to: 'nowhere:x', event: { type: 'note' } },
    ],
  });
  assert.ok(!bad.ok && bad.failure.code === 'failed');
  await turns(20);
  assert.is(town.carried.length, 1);
});

within('a commit that is refused sends nothing, and the same step sends once when it is repeated', async (town) => {
  const house = await open(town);
  const store = house.store as typeof town.store;
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  const refused = await house.ask(A, notes(B, 'lost'));
  assert.ok(!refused.ok && refused.failure.code === 'refused');
  store.fault = null;
  assert.equal(town.carried, []);
  await house.body(A, notes(B, 'kept'));
  await until(async () => (await heardBy(house, B)).length > 0);
  assert.equal(await heardBy(house, B), ['kept']);
});

within('a message whose acknowledgement is lost is sent again and stepped once', async (town) => {
  const house = await open(town);
  let lose = 2;
  town.wire = async ({ to }, pass) => {
    const reply = await pass();
    if (to === B && lose-- > 0) throw new AskError(to, { code: 'lost' });
    return reply;
  };
  await house.body(A, notes(B, 'once', 'then'));
  await until(async () => (await heardBy(house, B)).length >= 2);
  await until(async () => (await outbox(town)).length === 0);
  assert.equal(await heardBy(house, B), ['once', 'then']);
  assert.ok(town.carried.length >= 4);
});

within('a repeat that arrives before the first is durable is acknowledged only with it', async (town) => {
  const house = await open(town);
  let event: ActorEvent | null = null;
  town.wire = async (carried, pass) => {
    event = carried.event;
    return pass();
  };
  await house.body(A, notes(B, 'x'));
  await until(async () => (await outbox(town)).length === 0);
  // The same envelope with a higher number simulates a message that arrives twice.
  const fresh = { ...(event as unknown as ActorEvent), number: 'zzzzzz-000000001' };
  const resume = (house.store as typeof town.store).pauseCommits();
  const acks: string[] = [];
  void house.ask(B, fresh).then(() => acks.push('first'));
  void house.ask(B, fresh).then(() => acks.push('repeat'));
  await turns(20);
  assert.equal(acks, []);
  resume();
  await until(() => acks.length === 2);
  assert.equal(acks, ['first', 'repeat']);
  assert.equal(await heardBy(house, B), ['x', 'x']);
});

within('a receiver whose commit is refused receives the message again', async (town) => {
  const house = await open(town);
  const far = await town.build('n2');
  await house.engine.release(1);
  await far.take([1]);
  let refusals = 3;
  (far.store as typeof town.store).fault = () => (refusals-- > 0 ? { type: 'refuse', reason: 'full' } : null);
  await house.body(A, notes(B, 'insist'));
  await until(async () => (await outbox(town)).length === 0);
  assert.equal(await heardBy(far, B), ['insist']);
});

within('a waiting pair delays no other pair, and no message overtakes another of its pair', async (town) => {
  const house = await open(town);
  let cut = true;
  town.wire = async ({ to }, pass) => {
    if (to === B && cut) throw new AskError(to, { code: 'expired' });
    return pass();
  };
  await house.body(A, notes(B, 1, 2));
  await house.body(A, notes(C, 'c'));
  await until(async () => (await heardBy(house, C)).length === 1);
  assert.equal(await heardBy(house, B), []);
  assert.equal(
    (await house.engine.inspect(A))?.outbox.map(({ to }) => to),
    [B, B],
  );
  cut = false;
  await house.body(A, notes(B, 3));
  await until(async () => (await heardBy(house, B)).length === 3);
  assert.equal(await heardBy(house, B), [1, 2, 3]);
});

within('the next owner of the shard sends the open messages before new ones of the same pair', async (town) => {
  const house = await open(town);
  const next = await town.build('n2');
  let cut = true;
  town.wire = async ({ to }, pass) => {
    if (cut) throw new AskError(to, { code: 'expired' });
    return pass();
  };
  await house.body(A, notes(B, 1, 2));
  await town.kill(house);
  await next.take(ALL);
  // Stepped before the rows of the first owner have been read.
  const asked = next.body(A, notes(B, 3));
  cut = false;
  await asked;
  await until(async () => (await heardBy(next, B)).length >= 3);
  await until(async () => (await outbox(town)).length === 0);
  assert.equal(await heardBy(next, B), [1, 2, 3]);
});

within('a message that was delivered before its sender died is not stepped again', async (town) => {
  const house = await open(town);
  const next = await town.build('n2');
  let arrived = false;
  town.wire = async (_, pass) => {
    await pass();
    arrived = true;
    // The acknowledgement is lost: the sender dies first.
    return new Promise(() => {});
  };
  await house.body(A, notes(B, 'once'));
  await until(() => arrived);
  await town.kill(house);
  town.wire = (_, pass) => pass();
  await next.take(ALL);
  await until(async () => (await outbox(town)).length === 0);
  assert.equal(await heardBy(next, B), ['once']);
});

within('a recreated actor does not inherit the sequence of its predecessor', async (town) => {
  const house = await open(town);
  await house.body(A, notes(B, 1, 2, 3));
  await house.body(A, { type: 'stop' });
  await house.body(A, { type: 'open' });
  await house.body(A, notes(B, 4));
  await until(async () => (await heardBy(house, B)).length >= 4);
  assert.equal(await heardBy(house, B), [1, 2, 3, 4]);
});

const patient = new HandClock();
within(
  'a message that throws five times becomes a dead letter; the next one arrives; retry and skip end it',
  async (town) => {
    const house = await open(town);
    await house.body(B, { type: 'mood', refuses: true });
    await house.body(A, notes(B, 'bad', 'worse'));
    await until(async () => {
      await patient.advance(200);
      return (await asides(town)).length === 2;
    });
    assert.equal(await heardBy(house, B), []);
    const seen = await house.engine.inspect(B);
    assert.equal(
      seen?.aside.map(({ source, from, times }) => [source, from, times]),
      [
        ['message', A, 5],
        ['message', A, 5],
      ],
    );
    assert.ok(seen?.explanation.some((line) => line.includes('not in the mood') && line.includes('retry or skip')));
    const ids = [...(seen?.aside ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id }) => id);
    const again = await house.ask(B, { type: '$retry', id: ids[0] as string });
    assert.ok(!again.ok && again.failure.code === 'failed');
    assert.is((await asides(town)).length, 2);
    await house.body(B, { type: 'mood', refuses: false });
    assert.is(await house.body(B, { type: '$retry', id: ids[0] as string }), 'taken');
    assert.is(await house.body(B, { type: '$skip', id: ids[1] as string }), 'taken');
    assert.is(await house.body(B, { type: '$retry', id: ids[1] as string }), 'none');
    assert.equal(await heardBy(house, B), ['bad']);
    assert.equal(await asides(town), []);
  },
  patient,
);

within('a message to an absent or ended actor becomes a dead letter at once', async (town) => {
  const house = await open(town);
  const nobody = inShard('postman', 3, 'nobody');
  await house.body(C, { type: 'finish' });
  const letters = [
    { to: nobody, event: { type: 'mood', refuses: true } },
    { to: C, event: { type: 'note', note: 'late' } },
  ];
  await house.body(A, { type: 'post', letters });
  await until(async () => (await outbox(town)).length === 0);
  const rows = await asides(town);
  assert.equal(new Set(rows.map(({ address }) => address)), new Set([nobody, C]));
  for (const { body } of rows) assert.match(JSON.parse(body).failure, /is (absent|finished)/);
  const id = rows.find(({ address }) => address === nobody)?.id ?? '';
  const retry = await house.ask(nobody, { type: '$retry', id });
  assert.ok(!retry.ok && retry.failure.code === 'absent');
  await house.body(nobody, { type: 'open' });
  assert.is(await house.body(nobody, { type: '$retry', id }), 'taken');
});

const slow = new HandClock();
within(
  'a timer that throws five times becomes a dead letter, and can be retried',
  async (town) => {
    const house = await open(town);
    await house.body(B, { type: 'mood', refuses: true });
    await house.body(B, { type: 'remind', inMs: 1 });
    await slow.advance(9_000);
    assert.is(house.recorded.logged.filter(({ message }) => message === 'a timer failed').length, 4);
    assert.equal(await asides(town), []);
    await slow.advance(5_000);
    assert.is((await asides(town)).length, 1);
    assert.equal((await house.engine.inspect(B))?.timers, []);
    await house.body(B, { type: 'mood', refuses: false });
    const id = (await asides(town))[0]?.id ?? '';
    assert.is(await house.body(B, { type: '$retry', id }), 'taken');
    assert.equal(await heardBy(house, B), ['reminded']);
  },
  slow,
);

within('a shard whose outbox is full refuses further sends and changes nothing', async (town) => {
  const house = await open(town);
  town.wire = async ({ to }) => {
    throw new AskError(to, { code: 'expired' });
  };
  const many = Array.from({ length: 256 }, (_, i) => i);
  for (let i = 0; i < 16; i++) await house.body(A, notes(B, ...many));
  const full = await house.ask(A, notes(B, 'more'));
  assert.ok(!full.ok && full.failure.code === 'refused' && full.failure.detail.includes('full'));
  const long = await house.ask(C, notes(B, 'x'.repeat(300_000)));
  assert.ok(!long.ok && long.failure.code === 'failed' && long.failure.detail.includes('300'));
  const tooMany = await house.ask(C, notes(B, ...many, 'more'));
  assert.ok(!tooMany.ok && tooMany.failure.code === 'failed' && tooMany.failure.detail.includes('256'));
});

test.run();
