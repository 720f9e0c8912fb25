import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RefusedRequest } from '../../../../actors/terms/refused-request.ts';
import { LastRefusals } from '../../../../gateway/operator/metrics/last-refusals.ts';
import { RefusalReporter } from '../../../../gateway/operator/metrics/refusal-reporter.ts';
import { ManualClock } from '../../outbound/manual-clock.ts';

function refused(at: number, message = 'no'): Omit<RefusedRequest, 'node'> {
  return {
    ...{ at, generation: `gen-${at}`, route: null, status: 404, type: 'not_found' },
    ...{ message, failure: null, key: null },
  };
}

test('the five newest refusals of an account are known, newest first, with their messages; prompts are not stored (rule N40)', () => {
  const kept = new LastRefusals();
  for (let at = 1; at <= 7; at++) kept.note('account:a', refused(at, 'your words'));
  for (const status of [401, 402, 403, 429, 503]) kept.note('account:b', { ...refused(status, 'our words'), status });
  assert.equal(
    kept.of('account:a').map(({ at }) => at),
    [7, 6, 5, 4, 3],
  );
  assert.equal(kept.of('account:a')[0]?.message, 'your words');
  assert.equal(kept.of('account:c'), []);
  const stored = new Map(kept.take(10));
  assert.ok(stored.get('account:a')?.every(({ message }) => message === null));
  assert.equal(
    stored.get('account:b')?.map(({ message }) => message),
    [...Array(4).fill('our words'), null],
  );
});

test('the five newest refusals of an account wait to be stored, oldest first, each with a bounded message', () => {
  const waiting = new LastRefusals();
  for (let at = 1; at <= 7; at++) waiting.note('account:a', { ...refused(at, 'x'.repeat(10_000)), status: 403 });
  waiting.note('account:b', refused(9));
  const [[account, some] = ['', []], ...others] = waiting.take(10);
  assert.equal([account, some.map(({ at }) => at)], ['account:a', [3, 4, 5, 6, 7]]);
  assert.is(some[0]?.message?.length, 500);
  assert.equal(
    others.map(([name]) => name),
    ['account:b'],
  );
  assert.equal(waiting.take(10), []);
});

test('refusals are reported once a second, of fifty accounts at most, and once more at the end', () => {
  const clock = new ManualClock();
  const told: [string, { refused: RefusedRequest[] }][] = [];
  const cluster = { tell: (to: string, event: unknown) => void told.push([to, event as never]) };
  const refusals = new LastRefusals();
  const reporter = new RefusalReporter({ cluster, clock, refusals, node: 'n2' });
  reporter.start();
  for (let at = 0; at < 60; at++) refusals.note(`account:${at}`, refused(at));
  assert.is(told.length, 0, 'no request waits for a report');
  clock.advance(1_000);
  assert.is(told.length, 50);
  assert.equal(told[0], [
    'refusal-log:0/newest',
    { type: 'refusal.note', refused: [{ ...refused(0), message: null, node: 'n2' }] },
  ]);
  clock.advance(1_000);
  assert.is(told.length, 60);
  refusals.note('account:a', refused(1));
  reporter.stop();
  assert.is(told.length, 61);
  refusals.note('account:a', refused(2));
  clock.advance(5_000);
  assert.is(told.length, 61);
});

test.run();
