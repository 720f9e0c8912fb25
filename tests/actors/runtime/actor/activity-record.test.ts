import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ActivityRecord,
  type AttemptEnd,
  afterAttempt,
} from '../../../../actors/runtime/actor/activity-record.ts';
import { activityRecordOf } from '../../../../actors/runtime/actor/activity-record-of.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);
const BY = { address: 'job:a', number: '000001-000000001', at: 1_000, self: 'n1' };
const INTENT: ActivityRecord = activityRecordOf(
  { type: 'perform', name: 'render', id: 'w', input: 1, deadlineAt: 61_000, failuresMax: 3 },
  BY,
);
const NOW = { at: 2_000, self: 'n2' };

const after = (end: AttemptEnd, change: Partial<ActivityRecord> = {}, at = NOW.at) =>
  afterAttempt({ ...INTENT, ...change }, 'w', end, { ...NOW, at });
const nextOf = (result: ReturnType<typeof after>): ActivityRecord => {
  if (!('next' in result)) throw new Error(JSON.stringify(result));
  return result.next;
};
const codeOf = (result: ReturnType<typeof after>): unknown => {
  if (!('event' in result)) throw new Error(JSON.stringify(result));
  return (result.event.failure as { code: string }).code;
};
const failed = (retriable: boolean): AttemptEnd => ({ type: 'failed', code: 'upstream', message: 'no', retriable });
const died = (ownHand: boolean): AttemptEnd => ({ type: 'died', ownHand });

it('names its first runner, and has a key of its own for each asking', () => {
  assert.equal([INTENT.attempt, INTENT.runner, INTENT.failures, INTENT.suspect], [1, 'n1', 0, false]);
  const effect = { type: 'perform', name: 'render', id: 'w', input: 1, deadlineAt: 61_000 } as const;
  assert.is(activityRecordOf(effect, BY).key, INTENT.key);
  assert.is.not(activityRecordOf(effect, { ...BY, number: '000001-000000002' }).key, INTENT.key);
  assert.is.not(activityRecordOf(effect, { ...BY, address: 'job:b' }).key, INTENT.key);
});

it('refuses work without a deadline that can be kept, or without a try', () => {
  const effect = { type: 'perform', name: 'render', id: 'w', input: 1 } as const;
  assert.throws(() => activityRecordOf({ ...effect, deadlineAt: Number.NaN }, BY), /no deadline/);
  assert.throws(() => activityRecordOf({ ...effect, deadlineAt: 30 * 86_400_000 }, BY), /no deadline/);
  assert.throws(() => activityRecordOf({ ...effect, deadlineAt: 2_000, failuresMax: 0 }, BY), /failuresMax 0/);
});

it('tells a result with its attempt', () => {
  const { event } = after({ type: 'done', result: { ok: 1 } }, { attempt: 4 }) as { event: unknown };
  assert.equal(event, { type: 'render.done', id: 'w', attempt: 4, result: { ok: 1 } });
});

it('repeats a failure worth it on the owner, later each time, up to its bound and never past the deadline', () => {
  const first = nextOf(after(failed(true)));
  assert.equal([first.attempt, first.runner, first.failures, first.key], [2, 'n2', 1, INTENT.key]);
  const second = nextOf(after(failed(true), first));
  assert.ok(second.startAt - NOW.at > first.startAt - NOW.at);
  assert.is(codeOf(after(failed(true), second)), 'upstream');
  assert.is(codeOf(after(failed(false))), 'upstream');
  assert.is(codeOf(after(failed(true), {}, 60_900)), 'upstream');
});

it('goes on after any number of kills from outside, until its deadline', () => {
  let record = INTENT;
  for (let i = 0; i < 50; i++) record = nextOf(after(died(false), { ...record, alone: true, suspect: true }));
  assert.equal([record.attempt, record.deaths, record.failures], [51, 0, 0]);
  assert.is(nextOf(after(died(false))).suspect, false);
  assert.is(codeOf(after(died(false), {}, 61_000)), 'deadline');
});

it('becomes a suspect by the first death by its own hand, and is convicted by three while it ran alone', () => {
  let record = nextOf(after(died(true)));
  assert.equal([record.suspect, record.alone, record.deaths], [true, false, 0]);
  record = nextOf(after(died(true), record));
  assert.is(record.deaths, 0, 'it waited for its turn: the death was not its own');
  for (const deaths of [1, 2]) {
    record = nextOf(after(died(true), { ...record, alone: true }));
    assert.equal([record.deaths, record.alone], [deaths, false]);
  }
  assert.is(codeOf(after(died(true), { ...record, alone: true })), 'convicted');
});

test.run();
