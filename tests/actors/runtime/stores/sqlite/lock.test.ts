import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type LockWaitOptions, seededFraction, waitForLock } from '../../../../../actors/runtime/stores/sqlite/lock.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const busy = () => Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });

/** A clock that advances by one millisecond per reading. */
function wait(boundMs: number): LockWaitOptions & { seen: number[] } {
  let now = 1_000;
  const seen: number[] = [];
  const clock = { monotonic: () => now++ };
  return { clock, random: { fraction: seededFraction(1) }, boundMs, waited: (ms) => seen.push(ms), seen };
}

it('an attempt that succeeds at once is not counted as a wait', () => {
  const options = wait(5);
  assert.is(
    waitForLock(() => 'done', options),
    'done',
  );
  assert.equal(options.seen, []);
});

it('a busy attempt is repeated, reports its wait, and ends at 0', () => {
  const options = wait(5);
  let attempts = 0;
  const result = waitForLock(() => {
    attempts += 1;
    if (attempts < 4) throw busy();
    return attempts;
  }, options);
  assert.is(result, 4);
  assert.equal(options.seen, [1, 3, 5, 0]);
});

it('beyond the bound the caller gets the error', () => {
  const options = wait(3);
  assert.throws(() => {
    waitForLock(() => {
      throw busy();
    }, options);
  }, /locked/);
  assert.equal(options.seen, [1, 3, 0]);
  assert.ok(Error.stackTraceLimit > 0);
});

it('the caller gets any other error at once', () => {
  const options = wait(1_000);
  let attempts = 0;
  assert.throws(() => {
    waitForLock(() => {
      attempts += 1;
      throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    }, options);
  }, /full/);
  assert.is(attempts, 1);
});

it('fractions of one seed repeat, differ between seeds and fill the range evenly', () => {
  const take = (seed: number) => Array.from({ length: 1_000 }, seededFraction(seed));
  assert.equal(take(7), take(7));
  assert.not.equal(take(7), take(8));
  const drawn = take(7);
  assert.ok(drawn.every((fraction) => fraction >= 0 && fraction < 1));
  const mean = drawn.reduce((sum, fraction) => sum + fraction, 0) / drawn.length;
  assert.ok(Math.abs(mean - 0.5) < 0.05, `mean ${mean}`);
});

test.run();
