/**
 * Batches and the queue of their account against a model of a hundred lines: submissions, outcomes, failed attempts,
 * repeats, cancels, closing windows and written results in any order. After every command both have the same lines in
 * flight, slots, states and counts, and every charge is that of one recorded reply.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { batchKind } from '../../../actors/batch/batch.ts';
import type { BatchRecord, BatchStatus } from '../../../actors/batch/batch-record.ts';
import type { BatchState } from '../../../actors/batch/batch-state.ts';
import { fileKind } from '../../../actors/file/file.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { holdAttempt } from '../../../actors/terms/hold.ts';
import { lineGenerationId } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import { BatchModel, type ModelBatch } from '../../support/model/batch-model.ts';
import * as made from '../../support/model/batches.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';

const it = bounded(test, 60_000);

const nth = fc.nat({ max: 30 });
const command = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      refused: fc.array(fc.constantFrom(false, false, false, true), { minLength: 1, maxLength: 12 }),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constantFrom('reply' as const, 'error' as const), nth }), weight: 10 },
  { arbitrary: fc.record({ do: fc.constantFrom('fail' as const, 'die' as const, 'retry' as const), nth }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'expire' as const), nth }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('written' as const), nth }), weight: 3 },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** The chart and the model side by side. */
class Pair {
  readonly model = new BatchModel();
  readonly actors = new PureActors([accountKind(), keyKind, auditKind, fileKind, batchKind], START);
  #submitted = 0;

  constructor() {
    this.actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
    this.actors.tell(ACCOUNT, words.depositEvent('dep-1', '1000'));
    this.actors.tell(KEY, words.createKeyEvent());
  }

  run(command: Command): void {
    if (command.do === 'submit') this.#submit(command.refused);
    else if (command.do === 'cancel' || command.do === 'expire') this.#stop(command.do, command.nth);
    else if (command.do === 'written') this.#write(command.nth);
    else this.#line(command.do, command.nth);
    this.#compare();
  }

  #submit(refused: readonly boolean[]): void {
    const number = ++this.#submitted;
    const lines = refused.map((isRefused, index) =>
      isRefused ? made.refusedLine(`line-${index}`) : made.newLine(`line-${index}`, index),
    );
    const batch = made.newBatch(number, lines);
    const submit = () => this.actors.tell(made.addressOf(batch), made.submitEvent(batch));
    if (this.model.submit(number, refused)) submit();
    else assert.throws(submit, /does not take queue.join/);
  }

  #stop(how: 'cancel' | 'expire', at: number): void {
    const { batches } = this.model;
    const batch = batches[at % Math.max(1, batches.length)];
    if (batch === undefined) return;
    this.model[how](batch);
    this.actors.tell(addressOf(batch), { type: `batch.${how}` });
  }

  #write(at: number): void {
    const writing = this.model.batches.filter((batch) => batch.writing);
    const batch = writing[at % Math.max(1, writing.length)];
    if (batch === undefined) return;
    this.model.written(batch);
    this.actors.tell(addressOf(batch), made.resultsDone(batch.nth));
  }

  /** One of the lines in the state that the command is about. */
  #line(how: 'reply' | 'error' | 'fail' | 'die' | 'retry', at: number): void {
    const wanted = how === 'retry' ? 'waiting' : 'running';
    const lines = this.model.batches.flatMap((batch) =>
      batch.lines.flatMap((line, index) => (line === wanted ? [{ batch, index }] : [])),
    );
    const found = lines[at % Math.max(1, lines.length)];
    if (found === undefined) return;
    const { batch, index } = found;
    const address = addressOf(batch);
    const id = String(index);
    const { run: attempt } = this.#inFlight(batch).find((line) => line.index === index) as { readonly run: number };
    const failed = (retriable: boolean) => {
      const failure = { code: 'code', message: 'why', retriable };
      return { type: 'line.failed', id, attempt, key: 'k', failure } as never;
    };
    switch (how) {
      case 'reply':
        this.model.end(batch, index, 'completed');
        this.#admit(batch, index, attempt);
        this.actors.tell(address, made.lineDone(index, charged(batch, index, attempt), attempt));
        return;
      case 'error':
        this.model.end(batch, index, 'failed');
        this.actors.tell(address, made.lineDone(index, made.failedLine(index), attempt));
        return;
      case 'fail':
        this.model.fail(batch, index);
        this.#admit(batch, index, attempt);
        this.actors.tell(address, failed(true));
        return;
      case 'die':
        this.actors.tell(address, { type: 'line.attempt', id, attempt: attempt + 1 } as never);
        return;
      case 'retry': {
        this.model.retry(batch, index);
        const timer = this.actors.timers.get(`${address} line.retry ${id}`);
        assert.ok(timer, 'a waiting line has a timer');
        this.actors.timers.delete(`${address} line.retry ${id}`);
        this.actors.tell(address, timer?.event as never);
      }
    }
  }

  #admit({ nth }: ModelBatch, index: number, attempt: number): void {
    const generation = lineGenerationId(made.batchIdOf(nth), index);
    const more = { attempt: holdAttempt(attempt, 1), counted: true, repeat: attempt > 1 } as const;
    const { admitted } = this.actors.ask<{ admitted: boolean }>(
      KEY,
      words.admitEvent(words.request(generation, '1', more)),
    );
    assert.ok(admitted, 'a line in flight may hold money');
  }

  #inFlight(batch: ModelBatch): BatchState['inFlight'] {
    return this.actors.context<BatchState>(addressOf(batch)).inFlight;
  }

  #compare(): void {
    const { queue, charges, balance } = this.actors.context<AccountState>(ACCOUNT);
    const inFlight = this.model.batches.flatMap(({ lines }) => lines.filter((line) => /running|waiting/.test(line)));
    assert.ok(inFlight.length <= 8);
    assert.equal(
      queue.map(({ batch, slots }) => [batch, slots]),
      this.model.active.map((batch) => [made.batchIdOf(batch.nth), this.#inFlight(batch).length]),
    );
    for (const batch of this.model.batches) this.#compareBatch(batch);
    const replies = this.model.batches.flatMap(({ lines }) => lines.filter((line) => line === 'completed')).length;
    assert.is(Number(charges), replies * 0.5, 'one charge for each reply');
    assert.is(Number(balance), 1000 - replies * 0.5);
    this.#compareHolds();
  }

  #compareBatch(batch: ModelBatch): void {
    const address = addressOf(batch);
    const indexes = (wanted: string) => batch.lines.flatMap((line, index) => (line === wanted ? [String(index)] : []));
    const activities = this.actors.activitiesOf(address).map(({ id }) => id);
    assert.equal(activities.toSorted(), (batch.writing ? ['results'] : indexes('running')).toSorted());
    const waiting = this.#inFlight(batch).filter(({ waits }) => waits !== undefined);
    assert.equal(waiting.map(({ index }) => String(index)).toSorted(), indexes('waiting').toSorted());
    const { status, counts } = this.actors.row<BatchRecord>(address, 'batch', made.batchIdOf(batch.nth)) as BatchRecord;
    assert.is(status, statusOf(batch));
    const { lines } = batch;
    const [completed, failed] = [indexes('completed').length, indexes('failed').length];
    assert.equal(counts, { total: lines.length, completed, failed });
  }

  /** A released or charged hold stays so: no line holds money that is not in flight. */
  #compareHolds(): void {
    const held = this.actors.list<Generation>(ACCOUNT, 'generation').filter(({ status }) => status === 'running');
    const inFlight = this.model.batches.flatMap((batch) =>
      this.#inFlight(batch).map(({ index }) => lineGenerationId(made.batchIdOf(batch.nth), index)),
    );
    for (const { generation } of held) assert.ok(inFlight.includes(generation), `${generation} holds no money`);
  }
}

function charged({ nth }: ModelBatch, index: number, attempt: number) {
  return made.charged(made.batchIdOf(nth), index, { attempt: holdAttempt(attempt, 1) });
}

function addressOf({ nth }: ModelBatch): string {
  return made.addressOf({ id: made.batchIdOf(nth) });
}

function statusOf({ status, began }: ModelBatch): BatchStatus {
  if (status === 'expiring') return 'in_progress';
  if (status !== 'active') return status;
  return began ? 'in_progress' : 'validating';
}

it('batches and their queue do what the model does', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 1, maxLength: 70, size: 'max' }), (commands) => {
      const pair = new Pair();
      for (const each of commands) pair.run(each);
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 100), includeErrorInReport: true },
  );
});

test.run();
