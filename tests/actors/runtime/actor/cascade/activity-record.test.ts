import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ActivityRecord,
  type AfterAttempt,
  type AttemptEnd,
  afterAttempt,
  FAILURE_CHARS_MAX,
  notBegun,
} from '../../../../../actors/runtime/actor/cascade/activity-record.ts';
import { activityRecordOf } from '../../../../../actors/runtime/actor/cascade/activity-rows.ts';
import type { Repeats } from '../../../../../actors/runtime/actor/effect.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const BY = { address: 'job:a', number: '000001-000000001', at: 1_000, self: 'n1' };
const EFFECT = { type: 'perform', name: 'render', id: 'w', input: 1, deadlineAt: 61_000 } as const;
const RECORD: ActivityRecord = { ...activityRecordOf(EFFECT, BY), begun: true };
const NOW = { at: 2_000, self: 'n2' };

const after = (end: AttemptEnd, change: Partial<ActivityRecord> = {}, at = NOW.at) =>
  afterAttempt({ ...RECORD, ...change }, 'w', end, { ...NOW, at });
const nextOf = ({ next, event }: AfterAttempt): ActivityRecord => {
  if (next === null) throw new Error(JSON.stringify(event));
  return next;
};
const codeOf = ({ next, event }: AfterAttempt): unknown => {
  if (next !== null || event === null) throw new Error(JSON.stringify(next));
  return (event.failure as { code: string }).code;
};
const failed = (retriable: boolean): AttemptEnd => ({ type: 'failed', code: 'upstream', message: 'no', retriable });
const died = (crashed: boolean): AttemptEnd => ({ type: 'died', crashed: crashed });

it('names its first runner, has not begun, and has a different key for each request', () => {
  const record = activityRecordOf(EFFECT, BY);
  assert.equal([record.attempt, record.runner, record.begun, record.lastFailure], [1, 'n1', false, null]);
  assert.is(activityRecordOf(EFFECT, BY).key, RECORD.key);
  assert.is.not(activityRecordOf(EFFECT, { ...BY, number: '000001-000000002' }).key, RECORD.key);
  assert.is.not(activityRecordOf(EFFECT, { ...BY, address: 'job:b' }).key, RECORD.key);
});

it('refuses an activity without a valid deadline, and a repeat of an attempt that never failed', () => {
  assert.throws(() => activityRecordOf({ ...EFFECT, deadlineAt: Number.NaN }, BY), /no deadline/);
  assert.throws(() => activityRecordOf({ ...EFFECT, deadlineAt: 30 * 86_400_000 }, BY), /no deadline/);
  const sound = { key: 'k', attempt: 1, failure: { code: 'upstream', message: 'no' } };
  for (const repeats of [{ ...sound, key: '' }, { ...sound, attempt: 0 }, { ...sound, failure: 'no' }, {}]) {
    assert.throws(
      () => activityRecordOf({ ...EFFECT, repeats: repeats as unknown as Repeats }, BY),
      /not a failed attempt/,
    );
  }
});

it('reports a result with its attempt', () => {
  const ended = after({ type: 'done', result: { ok: 1 } }, { attempt: 4 });
  assert.equal(ended, { next: null, event: { type: 'render.done', id: 'w', attempt: 4, result: { ok: 1 } } });
});

it('reports a failure with code, message and whether it is retriable, and does not repeat it', () => {
  for (const retriable of [true, false]) {
    const failure = { code: 'upstream', message: 'no', retriable };
    const event = { type: 'render.failed', id: 'w', attempt: 2, key: RECORD.key, failure };
    assert.equal(after(failed(retriable), { attempt: 2 }), { next: null, event });
  }
});

it('a repeated failure continues the count under the same key, and keeps the failure text, truncated to its bound', () => {
  const { event } = after(failed(true), { attempt: 2 });
  const by = { ...BY, number: '000001-000000009' };
  const again = activityRecordOf({ ...EFFECT, id: 'another', repeats: event as unknown as Repeats }, by);
  assert.equal([again.attempt, again.key, again.lastFailure], [3, RECORD.key, 'upstream: no']);
  const long = { key: 'k', attempt: 1, failure: { code: 'upstream', message: 'x'.repeat(10_000) } };
  assert.is(activityRecordOf({ ...EFFECT, repeats: long }, by).lastFailure?.length, FAILURE_CHARS_MAX);
});

it('continues after any number of kills, until its deadline', () => {
  let record = RECORD;
  for (let i = 0; i < 50; i++) record = nextOf(after(died(false), { ...record, begun: true, suspect: true }));
  assert.equal([record.attempt, record.deaths, record.begun], [51, 0, false]);
  assert.is(record.lastFailure, 'runner-died: its runner n2 was lost');
  assert.is(nextOf(after(died(false))).suspect, false);
  assert.is(codeOf(after(died(false), {}, 61_000)), 'deadline');
});

it('the actor receives the next attempt after a death of its runner', () => {
  assert.equal(after(died(false)).event, { type: 'render.attempt', id: 'w', attempt: 2 });
  assert.is(after(died(true), { begun: false }).event, null);
});

it('an attempt that had not begun continues on another runner without suspicion, and fails with its own code', () => {
  const next = nextOf(after(died(true), { begun: false }));
  assert.equal(next, { ...RECORD, begun: false, runner: 'n2' });
  assert.is(codeOf(after(died(true), { begun: false }, 61_000)), 'not-begun');
  const { code, retriable, message } = notBegun(61_000, 'it waited');
  assert.equal([code, retriable], ['not-begun', true]);
  assert.match(message, /1970-01-01T00:01:01.000Z: it waited/);
});

it('the first crash of its runner makes it a suspect, and three crashes as the only running suspect fail it as poison (rule B27)', () => {
  let record = nextOf(after(died(true)));
  assert.equal([record.suspect, record.begun, record.deaths], [true, false, 0]);
  assert.is(record.lastFailure, 'runner-died: its runner n1 crashed');
  record = nextOf(after(died(true), record));
  assert.is(record.deaths, 0, 'it was waiting: the crash does not count against it');
  for (const deaths of [1, 2]) {
    record = nextOf(after(died(true), { ...record, begun: true }));
    assert.equal([record.deaths, record.begun], [deaths, false]);
  }
  const { next, event } = after(died(true), { ...record, begun: true });
  const message = '3 nodes crashed while this was the only suspect they ran';
  const failure = { code: 'poison', message, retriable: false };
  assert.equal([next, event?.type, event?.failure], [null, 'render.failed', failure]);
});

test.run();
