import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { ActorEvent, Json } from '../../../../../actors/runtime/actor/event.ts';
import { bounded } from '../../../../support/bounded.ts';
import { HandClock } from '../hand-clock.ts';
import { ALL, inShard, type Stage, Stages, turns, until } from '../stage.ts';

const it = bounded(test);
const A = inShard('sender', 0, 'a');
const B = inShard('sender', 1, 'b');
const C = inShard('sender', 2, 'c');

const within = (title: string, run: (stages: Stages) => Promise<void>, clock?: HandClock): void =>
  it(title, async () => {
    const stages = new Stages(clock);
    try {
      await run(stages);
    } finally {
      await stages.close();
    }
  });

const notes = (to: string, ...texts: readonly Json[]): ActorEvent => ({
  type: 'post',
  messages: texts.map((note) => ({ to, event: { type: 'note', note } })),
});
const receivedBy = async (stage: Stage, address: string): Promise<Json[]> =>
  ((await stage.body(address, { type: 'open' })) as string[]).map((text) => JSON.parse(text) as Json);
const outbox = (stages: Stages) => stages.store.rows({ collection: '$outbox', limit: 1_000 });
const deadLetters = (stages: Stages) => stages.store.rows({ collection: '$dead-letters', limit: 1_000 });

async function open(stages: Stages): Promise<Stage> {
  const stage = await stages.open('n1');
  await stage.take(ALL);
  for (const address of [A, B, C]) await stage.body(address, { type: 'open' });
  return stage;
}

within('a message to another shard arrives once, in order, and its row is removed', async (stages) => {
  const stage = await open(stages);
  await stage.body(A, notes(B, 1, 2, 3));
  await stage.body(A, notes(B, 4));
  await until(async () => (await receivedBy(stage, B)).length === 4);
  assert.equal(await receivedBy(stage, B), [1, 2, 3, 4]);
  await until(async () => (await outbox(stages)).length === 0);
  assert.is((await stages.store.rows({ collection: '$inbox', limit: 10 })).length, 1);
});

within('no message is sent before its commit, and none of a step that throws', async (stages) => {
  const stage = await open(stages);
  const store = stage.store as typeof stages.store;
  const resume = store.pauseCommits();
  const asked = stage.ask(A, notes(B, 'early'));
  await turns(20);
  assert.equal(stages.carried, []);
  resume();
  assert.ok((await asked).ok);
  await until(() => stages.carried.length === 1);
  const bad = await stage.ask(A, {
    type: 'post',
    messages: [
      { to: B, event: { type: 'note', note: 'never' } },
      { to: 'nowhere:x', event: { type: 'note' } },
    ],
  });
  assert.ok(!bad.ok && bad.failure.code === 'failed');
  await turns(20);
  assert.is(stages.carried.length, 1);
});

within('a commit that is refused sends nothing, and the same step sends once when it is repeated', async (stages) => {
  const stage = await open(stages);
  const store = stage.store as typeof stages.store;
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  const refused = await stage.ask(A, notes(B, 'lost'));
  assert.ok(!refused.ok && refused.failure.code === 'refused');
  store.fault = null;
  assert.equal(stages.carried, []);
  await stage.body(A, notes(B, 'kept'));
  await until(async () => (await receivedBy(stage, B)).length > 0);
  assert.equal(await receivedBy(stage, B), ['kept']);
});

const removal = new HandClock();
within(
  'the row of a delivered message is removed although the batch of its removal fails',
  async (stages) => {
    const stage = await open(stages);
    const counter = inShard('counter', 0);
    await stage.body(counter, { type: 'add', by: 1 });
    let deliver: () => void = () => {};
    const delivered = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    stages.wire = async (_, pass) => {
      const reply = await pass();
      await delivered;
      return reply;
    };
    await stage.body(A, notes(B, 'x'));
    await until(async () => (await receivedBy(stage, B)).length === 1);
    const resume = (stage.store as typeof stages.store).pauseCommits();
    const before = stage.ask(counter, { type: 'add', by: 1 });
    await turns();
    deliver();
    const broken = stage.ask(counter, { type: 'break' });
    await turns();
    await removal.advance(50);
    resume();
    assert.ok((await before).ok);
    assert.not((await broken).ok);
    await removal.advance(50);
    assert.equal(await outbox(stages), []);
  },
  removal,
);

within('a message whose acknowledgement is lost is sent again and stepped once', async (stages) => {
  const stage = await open(stages);
  let lose = 2;
  stages.wire = async ({ to }, pass) => {
    const reply = await pass();
    if (to === B && lose-- > 0) throw new AskError(to, { code: 'lost' });
    return reply;
  };
  await stage.body(A, notes(B, 'once', 'then'));
  await until(async () => (await receivedBy(stage, B)).length >= 2);
  await until(async () => (await outbox(stages)).length === 0);
  assert.equal(await receivedBy(stage, B), ['once', 'then']);
  assert.ok(stages.carried.length >= 4);
});

within('a repeat that arrives before the first is durable is acknowledged only with it', async (stages) => {
  const stage = await open(stages);
  let event: ActorEvent | null = null;
  stages.wire = async (carried, pass) => {
    event = carried.event;
    return pass();
  };
  await stage.body(A, notes(B, 'x'));
  await until(async () => (await outbox(stages)).length === 0);
  // The same envelope with a higher number simulates a message that arrives twice.
  const fresh = { ...(event as unknown as ActorEvent), number: 'zzzzzz-000000001' };
  const resume = (stage.store as typeof stages.store).pauseCommits();
  const acks: string[] = [];
  void stage.ask(B, fresh).then(() => acks.push('first'));
  void stage.ask(B, fresh).then(() => acks.push('repeat'));
  await turns(20);
  assert.equal(acks, []);
  resume();
  await until(() => acks.length === 2);
  assert.equal(acks, ['first', 'repeat']);
  assert.equal(await receivedBy(stage, B), ['x', 'x']);
});

within('a receiver whose commit is refused receives the message again', async (stages) => {
  const stage = await open(stages);
  const far = await stages.open('n2');
  await stage.engine.release(1);
  await far.take([1]);
  let refusals = 3;
  (far.store as typeof stages.store).fault = () => (refusals-- > 0 ? { type: 'refuse', reason: 'full' } : null);
  await stage.body(A, notes(B, 'insist'));
  await until(async () => (await outbox(stages)).length === 0);
  assert.equal(await receivedBy(far, B), ['insist']);
});

within('a waiting pair delays no other pair, and no message overtakes another of its pair', async (stages) => {
  const stage = await open(stages);
  let cut = true;
  stages.wire = async ({ to }, pass) => {
    if (to === B && cut) throw new AskError(to, { code: 'expired' });
    return pass();
  };
  await stage.body(A, notes(B, 1, 2));
  await stage.body(A, notes(C, 'c'));
  await until(async () => (await receivedBy(stage, C)).length === 1);
  assert.equal(await receivedBy(stage, B), []);
  assert.equal(
    (await stage.engine.inspect(A))?.outbox.map(({ to }) => to),
    [B, B],
  );
  cut = false;
  await stage.body(A, notes(B, 3));
  await until(async () => (await receivedBy(stage, B)).length === 3);
  assert.equal(await receivedBy(stage, B), [1, 2, 3]);
});

within('the next owner of the shard sends the open messages before new ones of the same pair', async (stages) => {
  const stage = await open(stages);
  const next = await stages.open('n2');
  let cut = true;
  stages.wire = async ({ to }, pass) => {
    if (cut) throw new AskError(to, { code: 'expired' });
    return pass();
  };
  await stage.body(A, notes(B, 1, 2));
  await stages.kill(stage);
  await next.take(ALL);
  // Stepped before the rows of the first owner have been read.
  const asked = next.body(A, notes(B, 3));
  cut = false;
  await asked;
  await until(async () => (await receivedBy(next, B)).length >= 3);
  await until(async () => (await outbox(stages)).length === 0);
  assert.equal(await receivedBy(next, B), [1, 2, 3]);
});

within('a message that was delivered before its sender died is not stepped again', async (stages) => {
  const stage = await open(stages);
  const next = await stages.open('n2');
  let arrived = false;
  stages.wire = async (_, pass) => {
    await pass();
    arrived = true;
    // The acknowledgement is lost: the sender dies first.
    return new Promise(() => {});
  };
  await stage.body(A, notes(B, 'once'));
  await until(() => arrived);
  await stages.kill(stage);
  stages.wire = (_, pass) => pass();
  await next.take(ALL);
  await until(async () => (await outbox(stages)).length === 0);
  assert.equal(await receivedBy(next, B), ['once']);
});

within('a recreated actor does not inherit the sequence of its predecessor', async (stages) => {
  const stage = await open(stages);
  await stage.body(A, notes(B, 1, 2, 3));
  await stage.body(A, { type: 'stop' });
  await stage.body(A, { type: 'open' });
  await stage.body(A, notes(B, 4));
  await until(async () => (await receivedBy(stage, B)).length >= 4);
  assert.equal(await receivedBy(stage, B), [1, 2, 3, 4]);
});

const patient = new HandClock();
within(
  'a message that throws five times becomes a dead letter; the next one arrives; retry and skip end it',
  async (stages) => {
    const stage = await open(stages);
    await stage.body(B, { type: 'mood', refuses: true });
    await stage.body(A, notes(B, 'bad', 'worse'));
    await until(async () => {
      await patient.advance(200);
      return (await deadLetters(stages)).length === 2;
    });
    assert.equal(await receivedBy(stage, B), []);
    const seen = await stage.engine.inspect(B);
    assert.equal(
      seen?.deadLetters.map(({ source, from, times }) => [source, from, times]),
      [
        ['message', A, 5],
        ['message', A, 5],
      ],
    );
    assert.ok(seen?.explanation.some((line) => line.includes('not in the mood') && line.includes('retry or skip')));
    const ids = [...(seen?.deadLetters ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id }) => id);
    const again = await stage.ask(B, { type: '$retry', id: ids[0] as string });
    assert.ok(!again.ok && again.failure.code === 'failed');
    assert.is((await deadLetters(stages)).length, 2);
    await stage.body(B, { type: 'mood', refuses: false });
    assert.is(await stage.body(B, { type: '$retry', id: ids[0] as string }), 'taken');
    assert.is(await stage.body(B, { type: '$skip', id: ids[1] as string }), 'taken');
    assert.is(await stage.body(B, { type: '$retry', id: ids[1] as string }), 'none');
    assert.equal(await receivedBy(stage, B), ['bad']);
    assert.equal(await deadLetters(stages), []);
  },
  patient,
);

within('a message to an absent or ended actor becomes a dead letter at once', async (stages) => {
  const stage = await open(stages);
  const nobody = inShard('sender', 3, 'nobody');
  await stage.body(C, { type: 'finish' });
  const messages = [
    { to: nobody, event: { type: 'mood', refuses: true } },
    { to: C, event: { type: 'note', note: 'late' } },
  ];
  await stage.body(A, { type: 'post', messages });
  await until(async () => (await outbox(stages)).length === 0);
  const rows = await deadLetters(stages);
  assert.equal(new Set(rows.map(({ address }) => address)), new Set([nobody, C]));
  for (const { body } of rows) assert.match(JSON.parse(body).failure, /is (absent|finished)/);
  const id = rows.find(({ address }) => address === nobody)?.id ?? '';
  const retry = await stage.ask(nobody, { type: '$retry', id });
  assert.ok(!retry.ok && retry.failure.code === 'absent');
  await stage.body(nobody, { type: 'open' });
  assert.is(await stage.body(nobody, { type: '$retry', id }), 'taken');
});

const slow = new HandClock();
within(
  'a timer that throws five times becomes a dead letter, and can be retried',
  async (stages) => {
    const stage = await open(stages);
    await stage.body(B, { type: 'mood', refuses: true });
    await stage.body(B, { type: 'remind', inMs: 1 });
    await slow.advance(9_000);
    assert.is(stage.recorded.logged.filter(({ message }) => message === 'a timer failed').length, 4);
    assert.equal(await deadLetters(stages), []);
    await slow.advance(5_000);
    assert.is((await deadLetters(stages)).length, 1);
    assert.equal((await stage.engine.inspect(B))?.timers, []);
    await stage.body(B, { type: 'mood', refuses: false });
    const id = (await deadLetters(stages))[0]?.id ?? '';
    assert.is(await stage.body(B, { type: '$retry', id }), 'taken');
    assert.equal(await receivedBy(stage, B), ['reminded']);
  },
  slow,
);

within('a shard whose outbox is full refuses further sends and changes nothing', async (stages) => {
  const stage = await open(stages);
  stages.wire = async ({ to }) => {
    throw new AskError(to, { code: 'expired' });
  };
  const many = Array.from({ length: 256 }, (_, i) => i);
  for (let i = 0; i < 16; i++) await stage.body(A, notes(B, ...many));
  const full = await stage.ask(A, notes(B, 'more'));
  assert.ok(!full.ok && full.failure.code === 'refused' && full.failure.detail.includes('full'));
  const long = await stage.ask(C, notes(B, 'x'.repeat(300_000)));
  assert.ok(!long.ok && long.failure.code === 'failed' && long.failure.detail.includes('300'));
  const tooMany = await stage.ask(C, notes(B, ...many, 'more'));
  assert.ok(!tooMany.ok && tooMany.failure.code === 'failed' && tooMany.failure.detail.includes('256'));
});

test.run();
