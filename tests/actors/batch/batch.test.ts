import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { batchKind } from '../../../actors/batch/batch.ts';
import type { BatchRecord } from '../../../actors/batch/batch-record.ts';
import type { BatchState } from '../../../actors/batch/batch-state.ts';
import type { NewBatch } from '../../../actors/batch/events.ts';
import type { LineRecord } from '../../../actors/batch/line-record.ts';
import { fileKind } from '../../../actors/file/file.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { lineGenerationId } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import * as made from '../../support/model/batches.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';

const it = bounded(test, 10_000);
const HOUR = 3_600_000;

function open(): PureActors {
  const actors = new PureActors([accountKind(), keyKind, fileKind, batchKind], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(ACCOUNT, words.depositEvent('dep-1', '100'));
  actors.tell(KEY, words.createKeyEvent());
  return actors;
}

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

it('is answered as validating, with every line stored, and its first eight lines are sent in the same commit', () => {
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

it('an outcome, its charge, the key and the next line are one commit', () => {
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

test.run();
