import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HOLDS_PER_RUN_MAX, holdAttempt, isFirstHold } from '../../../actors/terms/hold.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('orders holds by run, then within the run, and numbers a single run from 1', () => {
  assert.equal([holdAttempt(1, 1), holdAttempt(1, 2), holdAttempt(1, 16)], [1, 2, 16]);
  assert.is(holdAttempt(3, 1), 2_001);
  assert.ok(holdAttempt(2, 1) > holdAttempt(1, HOLDS_PER_RUN_MAX - 1));
  assert.ok(Number.isSafeInteger(holdAttempt(1_000_000, HOLDS_PER_RUN_MAX - 1)));
});

it('refuses numbers that would overlap another run', () => {
  for (const [run, hold] of [
    [0, 1],
    [1.5, 1],
    [1, 0],
    [1, HOLDS_PER_RUN_MAX],
  ] as const) {
    assert.throws(() => holdAttempt(run, hold), RangeError);
  }
});

it('identifies the only hold that no other of its generation can precede', () => {
  assert.equal([holdAttempt(1, 1), holdAttempt(1, 2), holdAttempt(2, 1)].map(isFirstHold), [true, false, false]);
});

test.run();
