/** An id that is used again while an attempt of its earlier activity is still held, and the tries of a report. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { ActivityRecord } from '../../../../../actors/runtime/actor/cascade/activity-record.ts';
import { ActivityRunner } from '../../../../../actors/runtime/durable/outgoing/activity-runner.ts';
import { systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { HandClock } from '../hand-clock.ts';
import { A, first, HeldCalls, receivedBy, scenes, work, working } from '../held-calls.ts';
import { turns } from '../stage.ts';

const it = bounded(test);
const within = scenes(test);

function runnerOf({ activities: { work: handler } }: HeldCalls): ActivityRunner {
  const clock = new HandClock();
  const activities = { work: { ...handler, runningMax: 1, runningPerGroupMax: 1 } };
  const away = { send: async () => 'taken', missing: async () => [], abort: () => {}, causeOf: () => null };
  const clusterPort = { random: systemRandom, activities, ...away };
  const runner = new ActivityRunner({ self: 'i1', clusterPort, clock, now: () => clock.now(), log: () => {} });
  runner.serve();
  return runner;
}

const recordOf = (key: string, attempt: number): ActivityRecord => ({
  ...{ name: 'work', input: null, key, attempt, runner: 'i1', begun: false, deadlineAt: 2_000_000 },
  ...{ suspect: false, deaths: 0, lastFailure: null },
});

for (const attempt of [1, 2]) {
  it(`a first attempt ends attempt ${attempt} of an earlier activity of its id, and frees its place`, async () => {
    const held = new HeldCalls();
    const runner = runnerOf(held);
    runner.start('job:a', 'w', recordOf('old', attempt));
    await turns();
    runner.start('job:a', 'w', recordOf('new', 1));
    await turns();
    assert.equal(
      held.calls.map(({ job, signal }) => [job.key, signal.aborted]),
      [
        ['old', true],
        ['new', false],
      ],
    );
    runner.start('job:a', 'other', recordOf('later', 1));
    held.call(1).resolve('done');
    await turns();
    assert.is(held.calls.length, 3);
    runner.abortAll('the test is over');
  });
}

within('a result of an earlier activity of the same id is refused', async (scene) => {
  const stage = await working(scene);
  const result = { type: '$result', id: 'w', attempt: 1, last: false };
  const old = { ...result, key: 'of an earlier activity', end: { type: 'done', result: 'old' } };
  assert.is(await stage.body(A, old), 'stale');
  assert.equal(await receivedBy(stage), []);
});

within('a build without the kind of the actor takes no try from a result', async (scene) => {
  const stage = await first(scene);
  let older = 6;
  scene.stages.wire = async ({ to, event }, pass) => {
    if (event.type !== '$result') return pass();
    if (older-- > 0) throw new AskError(to, { code: 'failed', detail: 'no kind of actor', kindUnknown: true });
    assert.is(event.last, false);
    return pass();
  };
  await stage.body(A, work('w'));
  await scene.held.made(1);
  scene.held.call(0).resolve('done');
  await scene.clock.advanceUntil(1_000, () => stage.engine.activities.size === 0);
  assert.equal(await receivedBy(stage), ['done']);
});

test.run();
