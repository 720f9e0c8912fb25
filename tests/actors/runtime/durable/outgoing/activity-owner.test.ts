import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { Json } from '../../../../../actors/runtime/actor/event.ts';
import { ActivityFailed } from '../../../../../actors/runtime/ports/activity.ts';
import type { Store } from '../../../../../actors/runtime/ports/store.ts';
import { A, activities, type Call, first, receivedBy, type Scene, scenes, work, working } from '../held-calls.ts';
import type { Stages } from '../stage.ts';
import { ALL, until } from '../stage.ts';

const within = scenes(test);

/** Holds back the rows that a new owner reads; the function returned lets them arrive. */
function pauseRows(store: Pick<Store, 'rows'>): () => void {
  const rows = store.rows.bind(store);
  let resume: () => void = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  store.rows = async (query) => {
    const found = await rows(query);
    await resumed;
    return found;
  };
  return resume;
}

/** Loses the acknowledgement of the first two of these messages; returns how many were sent. */
function loseTwice(scene: Scene, type: string): () => number {
  let sent = 0;
  scene.stages.wire = async ({ to, event }, pass) => {
    const reply = await pass();
    if (event.type === type && ++sent <= 2) throw new AskError(to, { code: 'lost' });
    return reply;
  };
  return () => sent;
}

within(
  'an activity begins after its commit and never before, and its result is an event of its actor',
  async (scene) => {
    const stage = await first(scene);
    const resume = (stage.store as Stages['store']).pauseCommits();
    const asked = stage.body(A, work('w1', { input: { n: 7 } }));
    await scene.clock.advance(50);
    assert.equal(scene.held.calls, []);
    resume();
    await asked;
    await scene.held.made(1);
    const { job } = scene.held.call(0);
    assert.equal([job.address, job.id, job.attempt, job.input], [A, 'w1', 1, { n: 7 }]);
    assert.equal(
      (await activities(scene.stages)).map(({ runner, attempt }) => [runner, attempt]),
      [[stage.incarnation, 1]],
    );
    const twice = await stage.ask(A, work('w1'));
    assert.ok(!twice.ok && twice.failure.code === 'failed' && twice.failure.detail.includes('is already open'));
    scene.held.call(0).resolve('done');
    await until(async () => (await receivedBy(stage)).length === 1);
    assert.equal(await receivedBy(stage), ['done']);
    assert.equal(await activities(scene.stages), []);
    assert.is(stage.engine.activities.size, 0);
    const none = await stage.ask(A, work('w2', { name: 'unknown' }));
    assert.ok(!none.ok && none.failure.code === 'failed' && none.failure.detail.includes('no activity handler'));
  },
);

within('an activity cancelled in the commit that requests it never begins', async (scene) => {
  const stage = await first(scene);
  await Promise.all([stage.body(A, work('w')), stage.body(A, { type: 'drop', id: 'w' })]);
  await scene.clock.advance(2_000);
  assert.equal(scene.held.calls, []);
  assert.is(stage.engine.activities.size, 0);
});

within(
  'a failed attempt is reported and never repeated; the chart repeats it, under the same key or as a new activity',
  async (scene) => {
    const stage = await working(scene);
    const { key } = scene.held.call(0).job;
    scene.held.call(0).reject(new Error('once more'));
    await until(async () => (await receivedBy(stage)).length === 1);
    const failure = { code: 'error', message: 'once more', retriable: true };
    assert.equal(await receivedBy(stage), [failure]);
    await scene.clock.advance(60_000);
    assert.is(scene.held.calls.length, 1, 'only the chart repeats');
    assert.equal(await activities(scene.stages), []);

    await stage.body(A, work('w', { repeats: { key, attempt: 1, failure } }));
    await scene.held.made(2);
    assert.equal([scene.held.call(1).job.attempt, scene.held.call(1).job.key], [2, key]);
    assert.is((await activities(scene.stages))[0]?.lastFailure, 'error: once more');
    scene.held.call(1).reject(new ActivityFailed('refused', 'x'.repeat(10_000), false));
    await until(async () => (await receivedBy(stage)).length === 2);
    assert.equal((await receivedBy(stage))[1], { code: 'refused', message: 'x'.repeat(1_000), retriable: false });

    await stage.body(A, work('w'));
    await scene.held.made(3);
    assert.is(scene.held.call(2).job.attempt, 1);
    assert.is.not(scene.held.call(2).job.key, key);
  },
);

within('why and inspect show which attempt runs or waits, and how the previous one failed', async (scene) => {
  const stage = await first(scene);
  const failure = { code: 'upstream', message: 'no luck' };
  await stage.body(A, work('w', { repeats: { key: 'k', attempt: 2, failure } }));
  await scene.held.made(1);
  const seen = await stage.engine.inspect(A);
  assert.equal(
    seen?.activities.map(({ attempt, begun, lastFailure }) => [attempt, begun, lastFailure]),
    [[3, true, 'upstream: no luck']],
  );
  const line = `The activity work w runs on ${stage.incarnation}: attempt 3, last failure: upstream: no luck.`;
  assert.ok(seen?.explanation.includes(line), seen?.explanation.join('\n'));
});

within('a step that performs an activity its kind does not declare fails as a whole', async (scene) => {
  const stage = await first(scene);
  const answer = await stage.ask(A, work('w', { name: 'undeclared' }));
  assert.ok(!answer.ok && answer.failure.code === 'failed');
  assert.match(answer.failure.detail, /does not declare the activity undeclared/);
  assert.equal(await activities(scene.stages), []);
});

within('the deadline aborts the call and is reported, even if the handler ignores the signal', async (scene) => {
  const stage = await working(scene, { inMs: 1_000 });
  await scene.clock.advance(1_001);
  await until(async () => (await receivedBy(stage)).length === 1);
  assert.ok(scene.held.call(0).signal.aborted);
  assert.is(((await receivedBy(stage))[0] as { code: string }).code, 'deadline');
  scene.held.call(0).resolve('too late');
  await scene.clock.advance(5_000);
  assert.is((await receivedBy(stage)).length, 1);
});

within('a cancel aborts the call and discards its result; a stop cancels all activities', async (scene) => {
  const stage = await first(scene);
  await stage.body(A, work('w'));
  await stage.body(A, work('v'));
  await scene.held.made(2);
  await stage.body(A, { type: 'drop', id: 'w' });
  await until(() => scene.held.call(0).signal.aborted);
  assert.not.ok(scene.held.call(1).signal.aborted);
  scene.held.call(0).resolve('nobody listens');
  await stage.body(A, { type: 'stop' });
  await until(() => scene.held.call(1).signal.aborted);
  await stage.body(A, { type: 'open' });
  await scene.clock.advance(10_000);
  assert.equal(await receivedBy(stage), []);
  assert.equal(await activities(scene.stages), []);
});

within('a runner continues when its shard moves, and the new owner accepts its result', async (scene) => {
  const stage = await working(scene);
  const next = await scene.open('n2');
  await stage.engine.release(0);
  await next.take([0]);
  await scene.clock.advance(20_000);
  assert.is(scene.held.calls.length, 1);
  assert.not.ok(scene.held.call(0).signal.aborted);
  assert.equal(
    (await next.engine.inspect(A))?.activities.map(({ runner }) => runner),
    [stage.incarnation],
  );
  scene.held.call(0).resolve('from afar');
  await until(async () => (await receivedBy(next)).length === 1);
  assert.equal(await receivedBy(next), ['from afar']);
  assert.is(stage.engine.activities.size, 0);
});

within('a cancel by the new owner reaches the runner on the old one', async (scene) => {
  const stage = await working(scene);
  const next = await scene.open('n2');
  await stage.engine.release(0);
  await next.take([0]);
  await scene.clock.advance(10);
  await next.body(A, { type: 'drop', id: 'w' });
  await until(() => scene.held.call(0).signal.aborted);
  assert.is(stage.engine.activities.size, 0);
});

for (const end of [{ type: 'drop', id: 'w' }, { type: 'stop' }]) {
  within(`a ${end.type} by an owner that has not read the taken-over rows yet reaches the runner`, async (scene) => {
    const stage = await working(scene);
    const next = await scene.open('n2');
    await stage.engine.release(0);
    const resume = pauseRows(next.store);
    await next.take([0]);
    await next.body(A, end);
    await until(() => scene.held.call(0).signal.aborted);
    assert.is(stage.engine.activities.size, 0);
    resume();
    await scene.clock.advance(10_000);
    assert.equal([scene.held.calls.length, await activities(scene.stages)], [1, []]);
  });
}

within('the death of a runner starts the next attempt, and a result of the previous one is refused', async (scene) => {
  const stage = await working(scene);
  const next = await scene.open('n2');
  await scene.stages.kill(stage);
  await next.take(ALL);
  await scene.clock.advanceUntil(500, () => scene.held.calls.length === 2);
  const [old, now] = scene.held.calls as [Call, Call];
  assert.equal([now.job.attempt, now.job.key], [2, old.job.key]);
  assert.ok(old.signal.aborted, 'a dead node aborts its handlers');
  const end = { type: 'done', result: 'from the dead' };
  assert.is(await next.body(A, { type: '$result', id: 'w', attempt: 1, key: now.job.key, end, last: false }), 'stale');
  assert.equal(await receivedBy(next), ['attempt 2']);
  const [record] = await activities(scene.stages);
  assert.equal([record?.attempt, record?.lastFailure], [2, `runner-died: its runner ${stage.incarnation} was lost`]);
  now.resolve('alive');
  await until(async () => (await receivedBy(next)).length === 2);
  assert.equal(await receivedBy(next), ['attempt 2', 'alive']);
  assert.is(await next.body(A, { type: '$result', id: 'w', attempt: 2, key: now.job.key, end, last: false }), 'stale');
});

within('a result whose acknowledgement is lost is reported again and applied once', async (scene) => {
  const stage = await first(scene);
  loseTwice(scene, '$result');
  await stage.body(A, work('w'));
  await scene.held.made(1);
  scene.held.call(0).resolve('once');
  await scene.clock.advanceUntil(100, () => stage.engine.activities.size === 0);
  assert.equal(await receivedBy(stage), ['once']);
});

within('a beginning whose acknowledgement is lost is recorded again, and the handler is called once', async (scene) => {
  const stage = await first(scene);
  const lost = loseTwice(scene, '$begin');
  await stage.body(A, work('w'));
  await scene.clock.advanceUntil(100, () => scene.held.calls.length === 1);
  await scene.clock.advance(5_000);
  assert.equal([scene.held.calls.length, lost()], [1, 3]);
});

within(
  'an activity whose beginning was lost with a commit of unknown outcome begins when the shard is adopted again',
  async (scene) => {
    const stage = await first(scene);
    (stage.store as Stages['store']).fault = () => ({ type: 'lose-acknowledgement' });
    const answer = await stage.ask(A, work('w'));
    assert.ok(!answer.ok && answer.failure.code === 'lost');
    (stage.store as Stages['store']).fault = null;
    assert.equal(scene.held.calls, []);
    await stage.take(ALL);
    await scene.clock.advanceUntil(100, () => scene.held.calls.length === 1);
    assert.is(scene.held.call(0).job.attempt, 1);
  },
);

within('the owner checks a living runner that has lost its attempt, and another attempt begins', async (scene) => {
  const stage = await working(scene);
  const next = await scene.open('n2');
  stage.engine.activities.abort([{ address: A, id: 'w', attempt: 1 }]);
  await stage.engine.release(0);
  await next.take([0]);
  await scene.clock.advanceUntil(1_000, () => scene.held.calls.length === 2);
  assert.is(scene.held.call(1).job.attempt, 2);
});

within(
  'a result on which the actor throws five times becomes a dead letter, and the activity has ended',
  async (scene) => {
    const stage = await working(scene);
    await stage.body(A, { type: 'mood', refuses: true });
    scene.held.call(0).resolve('unwelcome');
    await scene.clock.advanceUntil(200, () => stage.engine.activities.size === 0);
    assert.equal(await activities(scene.stages), []);
    const deadLetters = (await stage.engine.inspect(A))?.deadLetters ?? [];
    assert.equal(
      deadLetters.map(({ source, times }) => [source, times]),
      [['result', 5]],
    );
    await stage.body(A, { type: 'mood', refuses: false });
    assert.is(await stage.body(A, { type: '$retry', id: deadLetters[0]?.id ?? '' }), 'taken');
    assert.equal(await receivedBy(stage), ['unwelcome']);
  },
);

within(
  'the actor receives the event of a further attempt in the commit that starts it, or the attempt starts without it',
  async (scene) => {
    const stage = await working(scene);
    const next = await scene.open('n2');
    await stage.body(A, { type: 'mood', refuses: true });
    await scene.stages.kill(stage);
    await next.take(ALL);
    for (let tries = 1; tries <= 4; tries++) {
      await scene.clock.advance(1_000);
      assert.equal([scene.held.calls.length, (await activities(scene.stages))[0]?.attempt], [1, 1], 'both or none');
    }
    await scene.clock.advanceUntil(1_000, () => scene.held.calls.length === 2);
    assert.is(scene.held.call(1).job.attempt, 2);
    const deadLetters = (await next.engine.inspect(A))?.deadLetters ?? [];
    assert.equal(
      deadLetters.map(({ source, event, times }) => [source, event, times]),
      [['result', 'work.attempt', 5]],
    );
  },
);

within('a result that cannot be sent is a failure, reported once', async (scene) => {
  const stage = await first(scene);
  for (const [i, result] of [1n as unknown as Json, 'x'.repeat(300_000)].entries()) {
    await stage.body(A, work(`w${i}`));
    await scene.held.made(i + 1);
    scene.held.call(-1).resolve(result);
    await until(async () => (await receivedBy(stage)).length === i + 1);
    assert.is(((await receivedBy(stage))[i] as { code: string }).code, 'bad-result');
  }
});

within('the owner ends an attempt whose runner reports nothing after its deadline', async (scene) => {
  const stage = await working(scene, { inMs: 2_000 });
  const next = await scene.open('n2');
  await stage.engine.release(0);
  await next.take([0]);
  const { incarnation } = stage;
  scene.stages.wire = async ({ to, event }, pass) => {
    if (event.type === '$result') throw new AskError(to, { code: 'expired' });
    return pass();
  };
  await scene.clock.advanceUntil(500, async () => (await receivedBy(next)).length === 1);
  assert.is(((await receivedBy(next))[0] as { code: string }).code, 'deadline');
  assert.ok(scene.stages.aborted.some(({ at }) => at === incarnation));
});

within('a result found in time is accepted although its actor is reached only after the deadline', async (scene) => {
  const stage = await first(scene);
  let reached = false;
  scene.stages.wire = ({ to, event }, pass) =>
    reached || event.type === '$begin'
      ? pass()
      : Promise.reject(new AskError(to, { code: 'refused', detail: 'the store is out of reach' }));
  await stage.body(A, work('w', { inMs: 5_000 }));
  await scene.held.made(1);
  scene.held.call(0).resolve('paid');
  await scene.clock.advance(30_000);
  reached = true;
  await scene.clock.advance(20_000);
  assert.equal(await receivedBy(stage), ['paid']);
});

test.run();
