import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { figures, measure, NO_WINDOWS, type ObservedAttempt, type Windows } from '../../../actors/endpoint/window.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const START = 1_763_690_400_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const streamed = (more: Partial<ObservedAttempt> = {}): ObservedAttempt => ({
  outcome: 'success',
  streamed: true,
  ...more,
});
const many = (windows: Windows, count: number, attempt: ObservedAttempt, at: number): Windows =>
  measure(
    windows,
    Array.from({ length: count }, () => attempt),
    at,
  );

it('counts successes and errors only, and returns null below ten samples (rule C30)', () => {
  let windows = many(NO_WINDOWS, 8, streamed(), START);
  windows = many(windows, 1, streamed({ outcome: 'error' }), START);
  windows = many(windows, 5, streamed({ outcome: 'other' }), START);
  assert.is(figures(windows, START).uptime5m, null);
  assert.is(figures(windows, START).uptime5mSamples, 9);
  windows = many(windows, 1, streamed({ outcome: 'error' }), START);
  assert.is(figures(windows, START).uptime5m, 80);
  assert.is(figures(windows, START).uptime1d, 80);
});

it('drops samples after five minutes, half an hour and a day (rule C31)', () => {
  const windows = many(NO_WINDOWS, 10, streamed({ ttftMs: 200 }), START);
  const at = (ms: number) => figures(windows, START + ms);
  assert.is(at(5 * MINUTE).uptime5mSamples, 10);
  assert.is(at(6 * MINUTE).uptime5mSamples, 0);
  assert.is(at(30 * MINUTE).ttft30mSamples, 10);
  assert.is(at(31 * MINUTE).ttft30m, null);
  assert.is(at(31 * MINUTE).uptime1d, 100);
  assert.is(at(25 * 60 * MINUTE).uptime1dSamples, 0);
});

it('measures time to first token for streams only, and throughput for streams with 16 tokens and more (rule C31)', () => {
  let windows = many(NO_WINDOWS, 5, streamed({ ttftMs: 250, completionTokens: 15, durationMs: 1_000 }), START);
  windows = many(windows, 9, streamed({ streamed: false, ttftMs: 9, completionTokens: 99, durationMs: 1 }), START);
  assert.is(figures(windows, START).ttft30mSamples, 5);
  assert.ok(Math.abs((figures(windows, START).ttft30m?.p50 as number) - 0.25) < 0.005);
  assert.is(figures(windows, START).throughput30mSamples, 0);
  windows = many(windows, 5, streamed({ completionTokens: 100, durationMs: 2_000 }), START);
  assert.is(figures(windows, START).throughput1dSamples, 5);
  assert.ok(Math.abs((figures(windows, START).throughput1d?.p99 as number) - 50) < 1);
});

it('measures the uptime of seven days, from ten samples on (rule C33)', () => {
  let windows = many(NO_WINDOWS, 8, streamed(), START);
  windows = many(windows, 1, streamed({ outcome: 'error' }), START + 2 * DAY);
  windows = many(windows, 9, streamed({ outcome: 'other' }), START + 2 * DAY);
  assert.is(figures(windows, START + 2 * DAY).uptime7d, null, 'nine samples');
  windows = many(windows, 1, streamed({ outcome: 'error' }), START + 3 * DAY);
  assert.is(figures(windows, START + 3 * DAY).uptime7d, 80);
  assert.is(figures(windows, START + 3 * DAY).uptime1d, null);
  assert.is(figures(windows, START + 7 * DAY - 1).uptime7d, 80);
  assert.is(figures(windows, START + 7 * DAY + 4 * 60 * MINUTE).uptime7d, null, 'the first day is over');
});

it('measures the seconds of whole successes, streamed or not, from five samples on', () => {
  let windows = many(NO_WINDOWS, 2, streamed({ ttftMs: 10, durationMs: 2_000 }), START);
  windows = many(windows, 2, streamed({ streamed: false, durationMs: 2_000 }), START);
  windows = many(windows, 9, streamed({ outcome: 'error', durationMs: 90_000 }), START);
  windows = many(windows, 9, streamed({ outcome: 'other', durationMs: 90_000 }), START);
  assert.is(figures(windows, START).response30m, null, 'four samples');
  windows = many(windows, 1, streamed({ streamed: false, durationMs: 10_000 }), START);
  const { response30m, response1d } = figures(windows, START);
  assert.equal(response30m, response1d);
  assert.ok(Math.abs((response30m?.p50 as number) - 2) < 0.05);
  assert.ok(Math.abs((response30m?.p99 as number) - 10) < 0.25);
  assert.is(figures(windows, START + 31 * MINUTE).response30m, null);
  assert.equal(figures(windows, START + 31 * MINUTE).response1d, response1d);
});

it('stays bounded over days of traffic', () => {
  let windows = NO_WINDOWS;
  for (let minute = 0; minute < 10 * 24 * 60; minute++) {
    const attempt = streamed({ ttftMs: 100 + (minute % 400), completionTokens: 50, durationMs: 500 + (minute % 700) });
    windows = measure(windows, [attempt], START + minute * MINUTE);
  }
  assert.ok(windows.minutes.length <= 31, `${windows.minutes.length} minutes`);
  assert.ok(windows.halfHours.length <= 49, `${windows.halfHours.length} half hours`);
  assert.ok((windows.week?.length ?? 0) <= 43, `${windows.week?.length} buckets of the week`);
  assert.ok(JSON.stringify(windows).length < 60_000);
});

it('counts late attempts in the bucket of their own time, and drops those older than the window', () => {
  const late = measure(measure(NO_WINDOWS, [streamed({ at: START + MINUTE })], START + MINUTE), [], START + MINUTE);
  const windows = measure(late, [streamed({ at: START }), streamed({ at: START - 2 * DAY })], START + MINUTE);
  assert.equal(
    windows.minutes.map(({ start, success }) => [start - START, success]),
    [
      [0, 1],
      [MINUTE, 1],
    ],
  );
  assert.is(figures(windows, START + MINUTE).uptime1dSamples, 2);
  assert.is(windows.week.length, 2, 'the attempt of two days ago counts in the week');
});

it('counts batched attempts by their own times, in one call as one by one', () => {
  const attempts = [0, 10_000, 59_999, 60_000, 150_000, 140_000].map((ms) => streamed({ at: START + ms, ttftMs: 100 }));
  const together = measure(NO_WINDOWS, attempts, START + 200_000);
  assert.equal(
    together.minutes.map(({ start, success }) => [start - START, success]),
    [
      [0, 3],
      [MINUTE, 1],
      [2 * MINUTE, 2],
    ],
  );
  const single = attempts.reduce<Windows>((sum, attempt) => measure(sum, [attempt], START + 200_000), NO_WINDOWS);
  assert.equal(single, together);
  const ahead = measure(NO_WINDOWS, [streamed({ at: START + 9e9 })], START);
  assert.is(ahead.minutes[0]?.start, START, 'no attempt is later than its message');
});

test.run();
