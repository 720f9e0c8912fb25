import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { batchKind } from '../../../actors/batch/batch.ts';
import type { BatchRecord } from '../../../actors/batch/batch-record.ts';
import type { BatchState, NewBatch } from '../../../actors/batch/batch-state.ts';
import type { LineRecord } from '../../../actors/batch/line-record.ts';
import { fileKind } from '../../../actors/file/file.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { lineGenerationId } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import * as made from '../../support/model/batches.ts';
import { funded } from '../../support/model/funded.ts';
import type { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';

const it = bounded(test, 10_000);

/** The value has these members, at any depth. */
function has(value: unknown, members: Record<string, unknown>): void {
  for (const [name, expected] of Object.entries(members)) {
    const found = (value as Record<string, unknown> | null | undefined)?.[name];
    if (typeof expected === 'object' && expected !== null) has(found, expected as Record<string, unknown>);
    else assert.is(found, expected, name);
  }
}
const HOUR = 3_600_000;

const open = (): PureActors => funded('100', {}, [fileKind, batchKind]);

const account = (actors: PureActors) => actors.context<AccountState>(ACCOUNT);
const key = (actors: PureActors) => actors.context<KeyState>(KEY);
const record = (actors: PureActors, batch: NewBatch) =>
  actors.row<BatchRecord>(made.addressOf(batch), 'batch', batch.id) as BatchRecord;
const state = (actors: PureActors, batch: NewBatch) => actors.context<BatchState>(made.addressOf(batch));
const running = (actors: PureActors, batch: NewBatch) => actors.activitiesOf(made.addressOf(batch)).map(({ id }) => id);
const slots = (actors: PureActors) => account(actors).queue.map((entry) => entry.slots);
const line = (actors: PureActors, batch: NewBatch, index: number) =>
  actors.row<LineRecord>(made.addressOf(batch), 'line', String(index));

function submit(
  actors: PureActors,
  nth: number,
  lines: number | NewBatch['lines'],
  more: Partial<NewBatch> = {},
): NewBatch {
  const batch = made.newBatch(nth, typeof lines === 'number' ? made.newLines(lines) : lines, more);
  actors.tell(made.addressOf(batch), made.submitEvent(batch));
  return batch;
}

/** Admits a line as its handler does. */
function admit(actors: PureActors, batch: NewBatch, index: number, amount = '1', attempt = 1): void {
  const request = words.request(lineGenerationId(batch.id, index), amount, { attempt, counted: true });
  const { admitted } = actors.ask<{ admitted: boolean }>(KEY, words.admitEvent(request));
  assert.ok(admitted, `line ${index} is admitted`);
}

function done(actors: PureActors, batch: NewBatch, index: number, more = {}): number {
  return actors.tell(made.addressOf(batch), made.lineDone(index, made.charged(batch.id, index, more))).steps;
}

it('is answered as validating, with every line stored, and its first eight lines are sent in the same commit (rule B6, rule B15)', () => {
  const actors = open();
  const batch = made.newBatch(1, made.newLines(20));
  const { reply, steps } = actors.tell(made.addressOf(batch), made.submitEvent(batch));
  const { status, counts, createdAt, expiresAt, finalizedAt } = reply as unknown as BatchRecord;
  assert.equal([status, counts, finalizedAt], ['validating', { total: 20, completed: 0, failed: 0 }, null]);
  assert.equal([createdAt, expiresAt], [START + 1, START + 1 + 24 * HOUR]);
  assert.is(steps, 3);
  assert.is(actors.state(made.addressOf(batch)), 'in_progress');
  assert.is(record(actors, batch).status, 'in_progress');
  assert.equal(running(actors, batch), ['0', '1', '2', '3', '4', '5', '6', '7']);
  assert.equal(slots(actors), [8]);
  assert.equal(actors.list(made.addressOf(batch), 'line').length, 20);
});

it('a repeat of the submission returns the batch and sends nothing again', () => {
  const actors = open();
  const batch = submit(actors, 1, 3);
  const before = state(actors, batch);
  const again = actors.ask<BatchRecord>(made.addressOf(batch), made.submitEvent(batch));
  assert.equal(again, record(actors, batch));
  assert.equal(state(actors, batch), before);
});

it('an outcome, its charge, the key and the next line are one commit (rule B18)', () => {
  const actors = open();
  const batch = submit(actors, 1, 20);
  admit(actors, batch, 0, '2');
  assert.is(account(actors).held, '2');
  const steps = done(actors, batch, 0, { cost: '0.75' });
  assert.is(steps, 5, 'batch, account, key, account, batch');
  assert.equal([account(actors).charges, account(actors).held, key(actors).spending.total], ['0.75', '0', '0.75']);
  const generation = actors.row<Generation>(ACCOUNT, 'generation', lineGenerationId(batch.id, 0));
  assert.is(generation?.status, 'settled');
  assert.ok(line(actors, batch, 0)?.outcome);
  assert.equal(running(actors, batch), ['1', '2', '3', '4', '5', '6', '7', '8']);
  assert.equal(record(actors, batch).counts, { total: 20, completed: 1, failed: 0 });
  const change = actors.row(made.addressOf(batch), 'feed-event', batch.id);
  has(change, {
    type: 'batch.updated',
    account: made.OWNER,
    object: { status: 'in_progress', counts: { completed: 1 } },
  });
});

it('ends as completed with its results file; rows of lines are gone and the queue place is free', () => {
  const actors = open();
  const batch = submit(actors, 1, 2);
  for (const index of [0, 1]) {
    admit(actors, batch, index);
    done(actors, batch, index);
  }
  assert.equal([actors.state(made.addressOf(batch)), record(actors, batch).status], ['completing', 'in_progress']);
  assert.equal(running(actors, batch), ['results']);
  assert.equal(slots(actors), [0], 'active until it has ended');
  actors.advance(5_000);
  actors.tell(made.addressOf(batch), made.resultsDone(1));
  const { status, finalizedAt, resultsFileId, bodies } = record(actors, batch);
  const file = made.writtenResults(1).id;
  assert.equal([status, finalizedAt, resultsFileId, bodies], ['completed', START + 5_000, file, null]);
  assert.equal(actors.list(made.addressOf(batch), 'line'), []);
  const stored = actors.row<FileRecord>(`file:${made.OWNER}/${file}`, 'file', file);
  assert.equal([stored?.purpose, stored?.filename], ['batch_output', `${batch.id}_results.jsonl`]);
  assert.is(stored?.expiresAt, START + 5_000 + 48 * HOUR);
  assert.equal([account(actors).queue, account(actors).storedBytes], [[], 10]);
  const timers = [...actors.timers.values()].filter(({ address }) => address === made.addressOf(batch));
  assert.equal(
    timers.map(({ name }) => name),
    ['batch.forget'],
  );
  actors.advance(30 * 24 * HOUR);
  assert.is(actors.row(made.addressOf(batch), 'batch', batch.id), null);
});

const refusedSubmission = (actors: PureActors, batch: NewBatch) => {
  const before = [actors.snapshots, actors.rows];
  assert.throws(() => actors.tell(made.addressOf(batch), made.submitEvent(batch)), /does not take queue.join/);
  assert.equal([actors.snapshots, actors.rows], before, 'nothing is stored');
  const { idempotency } = batch;
  const event = { type: 'queue.join', batch: batch.id, wants: 1, ...(idempotency ? { idempotency } : {}) };
  return actors.ask<Record<string, unknown>>(ACCOUNT, event);
};

it('an account has ten active batches; the eleventh is refused whole, until one ends (rule B7)', () => {
  const actors = open();
  const batches = Array.from({ length: 10 }, (_, nth) => submit(actors, nth + 1, 3));
  const [first] = batches as [NewBatch];
  const { refusal } = refusedSubmission(actors, made.newBatch(11, made.newLines(1))) as never as {
    refusal: { status: number; metadata: object };
  };
  assert.equal([refusal.status, refusal.metadata], [429, { limit: 10, active: 10 }]);
  actors.tell(made.addressOf(first), { type: 'batch.cancel' });
  has(refusedSubmission(actors, made.newBatch(11, made.newLines(1))), { refusal: { status: 429 } });
  actors.tell(made.addressOf(first), made.resultsDone(1));
  submit(actors, 11, 1);
  assert.is(account(actors).queue.length, 10);
});

it('slots go to the oldest batch with an unsent line, and one commit moves a slot to the next batch (rule B14)', () => {
  const actors = open();
  const [a, b, c] = [submit(actors, 1, 5), submit(actors, 2, 5), submit(actors, 3, 5)] as const;
  assert.equal(slots(actors), [5, 3, 0]);
  assert.equal([running(actors, b), running(actors, c)], [['0', '1', '2'], []]);
  assert.is(actors.state(made.addressOf(c)), 'validating');
  for (const index of [0, 1, 2]) {
    admit(actors, a, index);
    done(actors, a, index);
  }
  assert.equal(slots(actors), [2, 5, 1]);
  assert.equal(running(actors, c), ['0']);
  assert.equal([...actors.activities.keys()].length, 8);
});

it('the oldest batch is the one that was accepted first, whatever the clocks of the nodes made of the ids (rule B14)', () => {
  const actors = open();
  const [first, second, third] = [submit(actors, 3, 5), submit(actors, 1, 5), submit(actors, 2, 5)] as const;
  assert.equal(
    account(actors).queue.map(({ batch }) => batch),
    [first.id, second.id, third.id],
  );
  assert.equal(slots(actors), [5, 3, 0]);
  admit(actors, first, 0);
  done(actors, first, 0);
  assert.equal(slots(actors), [4, 4, 0]);
  assert.equal(running(actors, third), []);
});

it('a body that was refused fails alone and is never sent; its batch runs (rule B3)', () => {
  const actors = open();
  const batch = submit(actors, 1, [made.refusedLine('bad'), made.newLine('good', 1), made.refusedLine('worse')]);
  assert.equal(record(actors, batch).counts, { total: 3, completed: 0, failed: 2 });
  assert.equal(running(actors, batch), ['1']);
  assert.is(line(actors, batch, 0)?.outcome === null, false);
  admit(actors, batch, 1);
  done(actors, batch, 1);
  assert.is(actors.state(made.addressOf(batch)), 'completing');
});

it('a batch whose bodies were all refused fails as a whole, with its results (rule B4)', () => {
  const actors = open();
  const batch = submit(actors, 1, [made.refusedLine('bad')], { bodies: null });
  assert.equal([actors.state(made.addressOf(batch)), record(actors, batch).status], ['failing', 'validating']);
  actors.tell(made.addressOf(batch), made.resultsDone(1));
  const { status, error, resultsFileId } = record(actors, batch);
  assert.equal([status, error?.code], ['failed', 'invalid_request']);
  assert.ok(resultsFileId);
  has(actors.ask(made.addressOf(batch), { type: 'batch.cancel' }), { refusal: { status: 409 } });
});

it('a failed attempt is repeated by a timer with growing pauses, in its slot (rule B16)', () => {
  const actors = open();
  const batch = submit(actors, 1, 2);
  const at = made.addressOf(batch);
  const failure = { code: 'unavailable', message: 'the store is away', retriable: true };
  for (const [attempt, pause] of [
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
  ] as const) {
    actors.tell(at, { type: 'line.failed', id: '0', attempt, key: 'k', failure } as never);
    assert.equal(running(actors, batch), ['1']);
    assert.equal(slots(actors), [2]);
    assert.match(actors.explain(at).join(' '), /Line 0 waits .* s for attempt .*: unavailable: the store is away/);
    actors.advance(pause - 1);
    assert.equal(running(actors, batch), ['1']);
    actors.advance(1);
    assert.equal(running(actors, batch), ['1', '0']);
    const performed = actors.activitiesOf(at).find(({ id }) => id === '0');
    assert.equal(performed?.repeats, { key: 'k', attempt, failure: { code: failure.code, message: failure.message } });
  }
  assert.is(state(actors, batch).inFlight.find(({ index }) => index === 0)?.run, 4);
});

it('a line whose nodes crashed three times fails, and so does one whose charge is refused (rule B27)', () => {
  const actors = open();
  const batch = submit(actors, 1, 2);
  const at = made.addressOf(batch);
  const failure = { code: 'poison', message: '3 nodes crashed', retriable: false };
  actors.tell(at, { type: 'line.failed', id: '0', attempt: 3, key: 'k', failure } as never);
  const refusal = { by: ACCOUNT, event: 'hold.settle', body: null };
  const refused = { ...made.lineDone(1, made.charged(batch.id, 1)), type: 'line.done.refused', refusal };
  assert.throws(() => actors.tell(at, made.lineDone(1, made.charged(batch.id, 1))), /does not take hold.settle/);
  actors.tell(at, refused);
  for (const index of [0, 1]) {
    const outcome = line(actors, batch, index)?.outcome;
    has(outcome, { error: { type: 'server', code: 500, requestId: null } });
  }
  assert.equal(record(actors, batch).counts, { total: 2, completed: 0, failed: 2 });
});

it('a cancel cuts what runs and releases its holds in one commit; finished lines keep their charge (rule B25)', () => {
  const actors = open();
  const batch = submit(actors, 1, 20);
  const at = made.addressOf(batch);
  admit(actors, batch, 0);
  done(actors, batch, 0, { cost: '0.25' });
  for (const index of [1, 2, 3]) admit(actors, batch, index, '2');
  actors.tell(at, { type: 'line.attempt', id: '4', attempt: 2 } as never);
  assert.is(account(actors).held, '6');
  const { reply, steps } = actors.tell(at, { type: 'batch.cancel' });
  has(reply, { status: 'cancelling' });
  assert.is(steps, 4, 'batch, account, key, account');
  assert.equal([account(actors).held, key(actors).held, account(actors).charges], ['0', '0', '0.25']);
  assert.equal(running(actors, batch), ['results']);
  const performed = actors.activitiesOf(at)[0]?.input as { readonly unsentAs: string };
  assert.is(performed.unsentAs, 'batch_cancelled');
  const late = words.request(lineGenerationId(batch.id, 4), '1', { attempt: 1001, repeat: true, counted: true });
  has(actors.ask(KEY, words.admitEvent(late)), { admitted: false, refusal: { status: 409 } });
  has(actors.ask(at, { type: 'batch.cancel' }), { status: 'cancelling' });
  actors.tell(at, made.resultsDone(1));
  const { status, counts } = record(actors, batch);
  assert.equal([status, counts], ['cancelled', { total: 20, completed: 1, failed: 0 }]);
  has(actors.ask(at, { type: 'batch.cancel' }), { status: 'cancelled' });
});

it('a cancel frees the slots for the other batches in the same commit, within the bound of a cascade', () => {
  const actors = open();
  const first = submit(actors, 1, 8);
  const others = Array.from({ length: 9 }, (_, nth) => submit(actors, nth + 2, 1));
  for (const index of [0, 1, 2, 3, 4, 5, 6, 7]) admit(actors, first, index);
  const { steps } = actors.tell(made.addressOf(first), { type: 'batch.cancel' });
  assert.is(steps, 12);
  assert.equal(
    others.map((batch) => running(actors, batch).length),
    [1, 1, 1, 1, 1, 1, 1, 1, 0],
  );
});

it('when its window closes, lines in flight end, lines that wait are dropped, and nothing else is sent (rule B24)', () => {
  const actors = open();
  const batch = submit(actors, 1, 20);
  const at = made.addressOf(batch);
  for (const index of [0, 1]) admit(actors, batch, index);
  const failure = { code: 'unavailable', message: 'away', retriable: true };
  const failed = (id: string) => ({ type: 'line.failed', id, attempt: 1, key: 'k', failure }) as never;
  for (let index = 2; index < 7; index++) actors.tell(at, { ...(failed(String(index)) as object) } as never);
  actors.tell(at, { type: 'batch.expire' });
  assert.equal([actors.state(at), record(actors, batch).status], ['expiring', 'in_progress']);
  assert.equal(running(actors, batch), ['0', '1', '7']);
  done(actors, batch, 0);
  actors.tell(at, failed('7'));
  assert.equal(running(actors, batch), ['1']);
  done(actors, batch, 1);
  assert.equal(running(actors, batch), ['results']);
  assert.equal(actors.activitiesOf(at)[0]?.input, { batch: batch.id, account: made.OWNER, unsentAs: 'batch_expired' });
  actors.tell(at, made.resultsDone(1));
  const { status, counts } = record(actors, batch);
  assert.equal([status, counts], ['expired', { total: 20, completed: 2, failed: 0 }]);
  has(actors.ask(at, { type: 'batch.cancel' }), { refusal: { status: 409 } });
});

it('its window closes 24 hours after its creation, also for a batch that never had a slot (rule B24)', () => {
  const actors = open();
  submit(actors, 1, 8);
  const waiting = submit(actors, 2, 3);
  actors.advance(24 * HOUR + 1);
  assert.is(actors.state(made.addressOf(waiting)), 'validating');
  actors.advance(1);
  assert.is(actors.state(made.addressOf(waiting)), 'expiring');
  assert.equal(running(actors, waiting), ['results']);
});

it('lines for which the results file has no room are never sent and fail as results_full (rule B31)', () => {
  const actors = open();
  const batch = made.newBatch(1, made.newLines(30));
  const at = made.addressOf(batch);
  // Room for four replies of the greatest size beside 30 short errors.
  const resultsBytesMax = 4 * (1024 * 1024 + 1_536) + 30 * 1_792;
  actors.tell(at, made.submitEvent(batch, { ...made.BOUNDS, resultsBytesMax }));
  assert.equal(running(actors, batch), ['0', '1', '2', '3']);
  let sent = 0;
  for (let index = 0; running(actors, batch)[0] !== 'results'; index++) {
    admit(actors, batch, index);
    done(actors, batch, index, { bytes: 1024 * 1024 });
    sent++;
    assert.ok(state(actors, batch).resultBytes <= resultsBytesMax);
  }
  assert.is(sent, 4);
  const { status, counts } = record(actors, batch);
  assert.equal([status, counts], ['in_progress', { total: 30, completed: 4, failed: 26 }]);
  has(actors.activitiesOf(at)[0]?.input, { unsentAs: 'results_full' });
  assert.equal(slots(actors), [0]);
});

it('results that could not be written are written again', () => {
  const actors = open();
  const batch = submit(actors, 1, [made.refusedLine('bad')], { bodies: null });
  const at = made.addressOf(batch);
  const failure = { code: 'error', message: 'the keys are out of reach', retriable: true };
  actors.tell(at, { type: 'results.failed', id: 'results', attempt: 1, key: 'k', failure } as never);
  assert.equal(running(actors, batch), []);
  actors.advance(1_000);
  assert.equal(running(actors, batch), ['results']);
  actors.tell(at, made.resultsDone(1));
  assert.is(actors.state(at), 'failed');
});

it('a reply whose key was lost before the results counts as failed (rule B19)', () => {
  const actors = open();
  const batch = submit(actors, 1, 1);
  admit(actors, batch, 0);
  done(actors, batch, 0);
  actors.tell(made.addressOf(batch), made.resultsDone(1, 1));
  assert.equal(record(actors, batch).counts, { total: 1, completed: 0, failed: 1 });
});

it('an idempotency key stands for its batch: the same body is recorded, another is 422, for 24 hours (rule B10)', () => {
  const actors = open();
  const idempotency = { key: 'k1', body: 'b1' };
  const first = submit(actors, 1, 1, { idempotency });
  const again = made.newBatch(2, made.newLines(1), { idempotency });
  assert.equal(refusedSubmission(actors, again), { recorded: first.id });
  const other = made.newBatch(3, made.newLines(1), { idempotency: { key: 'k1', body: 'b2' } });
  has(refusedSubmission(actors, other), { refusal: { status: 422 } });
  actors.advance(24 * HOUR);
  submit(actors, 2, 1, { idempotency });
});

test.run();
