/** What a runner reports after the end of its job, and what the feed of events shows of a job. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FeedEventRow } from '../../../actors/terms/feed-event.ts';
import type { JobRecord } from '../../../actors/video-job/job-record.ts';
import { jobDocument } from '../../../actors/video-job/job-record.ts';
import type { AbortInput } from '../../../actors/video-job/render.ts';
import { bounded } from '../../support/bounded.ts';
import * as made from '../../support/model/video-jobs.ts';
import { account, begun, open, record, submit } from './scene.ts';

const it = bounded(test, 10_000);

it('a render that a provider accepts after its job has ended is aborted there, uncharged, and asked three times', () => {
  const abortDone = { type: 'abort.done', id: 'abort', attempt: 1, result: { settlement: null } } as never;
  for (const end of [{ type: 'job.cancel' }, made.doneEvent(made.failed())]) {
    const actors = open();
    const job = begun(actors);
    actors.tell(job, end as never);
    const { status } = record(actors);
    assert.match(JSON.stringify(actors.ask(job, made.submittedEvent())), /"status":409/);
    const [abort] = actors.activitiesOf(job);
    const input = abort?.input as AbortInput | undefined;
    assert.equal([abort?.name, input?.remote, input?.charged], ['abort', made.remote(), false]);
    assert.match(actors.explain(job).join('\n'), /sim-1 accepted the render at .*, and is asked to abort it/);
    actors.tell(job, { ...made.failedEvent(1), type: 'abort.failed', id: 'abort' } as never);
    actors.advance(60_000);
    assert.is(actors.activitiesOf(job).length, 1);
    actors.tell(job, abortDone);
    assert.equal([record(actors).status, actors.activitiesOf(job).length], [status, 0]);
    assert.not.match(actors.explain(job).join('\n'), /accepted the render/);
    assert.equal([account(actors).charges, account(actors).holds], ['0', 0]);
  }
  for (const cancellable of [true, false]) {
    const actors = open();
    const job = begun(actors, 1, { candidates: [made.candidate(1, { cancellable })] });
    actors.tell(job, { type: 'job.cancel' });
    const attempt = cancellable ? 2 : 1;
    assert.match(JSON.stringify(actors.ask(job, made.submittedEvent(attempt))), /"status":409/);
    assert.is(actors.activitiesOf(job).length, 0);
  }
});

it('the feed of events has one change for each document of the job, in their order', () => {
  const actors = open();
  const job = submit(actors, 1, { candidates: [made.candidate(1), made.candidate(2)] });
  const change = () => actors.row<FeedEventRow>(job, 'feed-event', made.jobIdOf(1)) as FeedEventRow;
  const seen = [change()];
  for (const event of [
    made.failedEvent(1),
    null,
    made.beginEvent(2),
    made.beginEvent(2),
    made.submittedEvent(2),
    { type: 'render.moved', run: 2, candidate: 1 },
    made.submittedEvent(2, { candidate: 1 }),
    { type: 'render.attempt', id: 'render', attempt: 3 },
    { type: 'render.attempt', id: 'render', attempt: 4 },
    made.beginEvent(4),
    { type: 'job.cancel' },
    { type: 'abort.done', id: 'abort', attempt: 1, result: { settlement: null } },
  ]) {
    actors.advance(event === null ? 60_000 : 1);
    if (event !== null) actors.tell(job, event as never);
    if (change().at !== seen.at(-1)?.at) seen.push(change());
  }
  assert.equal(
    seen.map(({ object }) => (object as unknown as JobRecord).status),
    ['pending', 'in_progress', 'pending', 'in_progress', 'cancelled'],
  );
  assert.is(jobDocument(record(actors)), jobDocument(seen.at(-1)?.object as unknown as JobRecord));
});

test.run();
