/** Rule 10: a failure counts against its endpoint only after one repeat. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { ManualClock } from '../outbound/manual-clock.ts';
import { stage } from '../stage.ts';
import { callsAt, drain, eventsOf, failed, openScene, outcomesOf, releaseOf, sim } from './scene.ts';

const it = bounded(test);
const { a, b, both, onlyA, close } = await openScene();

/** Resolves when `a` has received so many calls of this body. */
async function received(body: object, calls: number): Promise<void> {
  for (let waits = 0; callsAt(a, body) < calls; waits++) {
    assert.ok(waits < 10_000, `${callsAt(a, body)} calls instead of ${calls}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

it('a stall before the headers is 504 after its time limit on two calls, and then it counts (rule I132)', async () => {
  const clock = new ManualClock();
  const on = stage({ clock, upstream: { firstByteMs: 60_000 } });
  const body = sim({ hang: 'headers' });
  const running = failed(runTurn(on.services, on.request(body, onlyA)));
  for (const call of [1, 2]) {
    await received(body, call);
    clock.advance(60_000);
  }
  const error = await running;
  assert.is(error.status, 504);
  assert.is(error.type, 'timeout');
  await on.end();
  assert.equal(eventsOf(on), ['turn.admit', 'hold.release']);
  assert.is(releaseOf(on)?.status, 504);
  assert.equal(
    releaseOf(on)?.attempts.map(({ reason }) => reason),
    ['timeout', 'timeout'],
  );
  assert.equal(outcomesOf(on), ['error']);
});

it('a refused key or an unknown model is tried once more, and does not count if that call serves (rule I133)', async () => {
  for (const status of [401, 402, 403, 404]) {
    const on = stage();
    const body = sim({ status, fail_first: 1 });
    await drain(await runTurn(on.services, on.request(body, both)));
    assert.is(callsAt(a, body), 2, `status ${status}`);
    assert.is(callsAt(b, body), 0);
    await on.end();
    assert.equal(outcomesOf(on), ['success']);
  }
});

it('a failure that no time is left to repeat does not count, and no other endpoint is called (rule I133)', async () => {
  const clock = new ManualClock();
  const on = stage({ clock, upstream: { firstByteMs: 60_000, totalMs: 40_000 } });
  const body = sim({ hang: 'headers' });
  const running = failed(runTurn(on.services, on.request(body, both)));
  await received(body, 1);
  clock.advance(40_000);
  assert.is((await running).status, 504);
  await on.end();
  assert.is(releaseOf(on)?.attempts.length, 1);
  assert.equal(outcomesOf(on), ['other']);
});

test.after(close);

test.run();
