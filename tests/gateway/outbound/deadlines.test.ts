import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Bounded, Deadlines } from '../../../gateway/outbound/deadlines.ts';
import { ManualClock } from './manual-clock.ts';

/** Is due at a time and records when it was ended. Removes itself then, as every implementation does. */
class Due implements Bounded {
  dueMs: number;
  endedAt: number | null = null;
  taken = (): void => {};

  constructor(dueMs: number) {
    this.dueMs = dueMs;
  }

  expire(nowMs: number): number {
    if (nowMs < this.dueMs) return this.dueMs;
    assert.is(this.endedAt, null, 'it was taken when it ended');
    this.endedAt = nowMs;
    this.taken();
    return Number.POSITIVE_INFINITY;
  }
}

test('each is ended at its own time, by one timer', () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const all = [500, 100, 300, 300].map((dueMs) => new Due(dueMs));
  for (const due of all) {
    const place = deadlines.add(due, due.dueMs);
    due.taken = () => deadlines.take(place);
  }
  assert.is(clock.armed, 1);
  clock.advance(99);
  assert.equal(
    all.map(({ endedAt }) => endedAt),
    [null, null, null, null],
  );
  clock.advance(1_000);
  assert.equal(
    all.map(({ endedAt }) => endedAt),
    [500, 100, 300, 300],
  );
  assert.is(clock.armed, 0);
});

test('a deadline moved forward is met, and one moved back is checked again', () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const due = new Due(500);
  deadlines.add(due, due.dueMs);
  due.dueMs = 200;
  deadlines.by(200);
  due.dueMs = 400;
  clock.advance(399);
  assert.is(due.endedAt, null);
  clock.advance(1);
  assert.is(due.endedAt, 400);
});

test('a removed entry is not checked, and removing the last one disarms the timer', () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock);
  const [one, other] = [new Due(100), new Due(200)];
  const place = deadlines.add(one, 100);
  const last = deadlines.add(other, 200);
  deadlines.take(place);
  clock.advance(150);
  assert.is(one.endedAt, null);
  assert.is(clock.armed, 1);
  deadlines.take(last);
  assert.is(clock.armed, 0);
});

test.run();
