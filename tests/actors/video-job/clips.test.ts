import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import type { ClipRecord, OpenedClip } from '../../../actors/video-job/clips.ts';
import { bounded } from '../../support/bounded.ts';
import type { PureActors } from '../../support/model/pure-actors.ts';
import * as made from '../../support/model/video-jobs.ts';
import { announced, begun, completed, open, record, submit } from './scene.ts';

const it = bounded(test, 10_000);
const { deliveredMs, windowMs, downloadMs, downloadsMax } = made.BOUNDS;
const CALLBACK = { callbackUrl: 'https://example.com/hook' };

/** `open`, or the status of the refusal. */
function tryOpen(actors: PureActors, job: string, reader = 'probe', index = 0): string | number {
  const answer = actors.ask<OpenedClip | RefusedAnswer>(job, made.openEvent(reader, index));
  return 'refusal' in answer ? answer.refusal.status : 'open';
}

/** As `tryOpen`, for HEAD: without a download. */
function tryShow(actors: PureActors, job: string, index = 0): string | number {
  const answer = actors.ask<object>(job, { type: 'clip.show', index } as never);
  return 'refusal' in answer ? (answer as RefusedAnswer).refusal.status : 'open';
}

const close = (actors: PureActors, job: string, reader: string, delivered = false, index = 0) =>
  actors.tell(job, made.closeEvent(reader, delivered, index));
const clips = (actors: PureActors, job: string) => actors.list<ClipRecord>(job, 'clip');
const removals = (actors: PureActors, job: string) =>
  actors.activitiesOf(job).filter(({ name }) => name === 'removal').length;

it('409 until the job has completed, 404 for another index, 410 once the clip is gone (rule V30)', () => {
  const actors = open();
  const job = submit(actors);
  for (const answer of [tryOpen(actors, job), tryShow(actors, job)]) assert.is(answer, 409);
  actors.tell(job, made.beginEvent());
  assert.is(tryOpen(actors, job), 409);
  actors.tell(job, made.doneEvent(made.completed(1)));
  assert.equal([tryShow(actors, job), tryOpen(actors, job), tryOpen(actors, job, 'b', 1)], ['open', 'open', 404]);
  close(actors, job, 'probe', true);
  actors.advance(deliveredMs);
  assert.equal([tryShow(actors, job), tryOpen(actors, job), tryOpen(actors, job, 'b', 1)], [410, 410, 404]);
});

it('a failed or cancelled job has no clip: 409', () => {
  const actors = open();
  const job = begun(actors);
  actors.tell(job, made.doneEvent(made.failed()));
  assert.is(tryOpen(actors, job), 409);
});

it('the first delivery starts ten minutes, in which the clip can be read again; then row and bytes go (rule V32)', () => {
  const actors = open();
  const job = completed(actors);
  for (const reader of ['a', 'b']) tryOpen(actors, job, reader);
  close(actors, job, 'a', true);
  actors.advance(deliveredMs / 2);
  close(actors, job, 'b', true);
  assert.is(tryOpen(actors, job, 'c'), 'open');
  close(actors, job, 'c');
  actors.advance(deliveredMs / 2 - 1);
  assert.equal([clips(actors, job).length, removals(actors, job)], [1, 0]);
  actors.advance(1);
  assert.equal([clips(actors, job).length, removals(actors, job)], [0, 1]);
});

it('a part, a broken download and HEAD deliver nothing (rule V31)', () => {
  const actors = open();
  const job = completed(actors);
  tryShow(actors, job);
  tryOpen(actors, job, 'part');
  close(actors, job, 'part', false);
  assert.is(clips(actors, job)[0]?.deliveredAt, null);
  actors.advance(deliveredMs * 2);
  assert.is(tryOpen(actors, job), 'open');
});

it('a clip is not removed under a download: it goes with the last one (rule V32)', () => {
  const actors = open();
  const job = completed(actors);
  tryOpen(actors, job, 'first');
  close(actors, job, 'first', true);
  actors.advance(deliveredMs - 1_000);
  for (const reader of ['slow', 'slower']) assert.is(tryOpen(actors, job, reader), 'open');
  actors.advance(2_000);
  assert.equal([tryOpen(actors, job, 'late'), clips(actors, job).length], [410, 1]);
  close(actors, job, 'slow', true);
  assert.equal([clips(actors, job).length, removals(actors, job)], [1, 0]);
  close(actors, job, 'slower', true);
  assert.equal([clips(actors, job).length, removals(actors, job)], [0, 1]);
});

it('with nothing fetched the job expires when its window closes (rule V33)', () => {
  const actors = open();
  const job = completed(actors, 1, CALLBACK);
  tryShow(actors, job);
  actors.advance(windowMs - 1);
  assert.equal([record(actors).status, clips(actors, job).length], ['completed', 1]);
  actors.advance(1);
  assert.equal([record(actors).status, clips(actors, job).length, removals(actors, job)], ['expired', 0, 1]);
  assert.equal([tryOpen(actors, job), tryShow(actors, job)], [410, 410]);
  assert.equal(announced(actors), ['video.generation.completed', 'video.generation.expired']);
  assert.equal(record(actors).usage, { cost: '1', videoSeconds: '10' });
});

it('a job fetched even in part stays completed and is told nothing more, and its clip goes all the same (rule V34)', () => {
  const actors = open();
  const job = completed(actors, 1, CALLBACK);
  tryOpen(actors, job, 'part');
  close(actors, job, 'part');
  actors.advance(windowMs);
  assert.equal([record(actors).status, clips(actors, job).length, tryOpen(actors, job)], ['completed', 0, 410]);
  assert.equal(announced(actors), ['video.generation.completed']);
});

it('the window ends the ten minutes of a late delivery, but not a download under way (rule V33)', () => {
  const actors = open();
  const job = completed(actors);
  actors.advance(windowMs - 1_000);
  tryOpen(actors, job, 'late');
  actors.advance(1_000);
  assert.equal([clips(actors, job).length, tryOpen(actors, job)], [1, 410]);
  close(actors, job, 'late', true);
  assert.equal([clips(actors, job).length, removals(actors, job), record(actors).status], [0, 1, 'completed']);
});

it('a download that never reports its end is over at its time limit', () => {
  const actors = open();
  const job = completed(actors);
  tryOpen(actors, job, 'first');
  close(actors, job, 'first', true);
  tryOpen(actors, job, 'lost');
  actors.advance(downloadMs - 1);
  assert.is(clips(actors, job).length, 1);
  actors.advance(1);
  assert.is(clips(actors, job).length, 0);
  close(actors, job, 'lost', true);
});

it('the death of a node ends its downloads, and no others', () => {
  const actors = open();
  const job = completed(actors);
  tryOpen(actors, job, 'first');
  close(actors, job, 'first', true);
  actors.tell(job, made.openEvent('here', 0, 'inc-1'));
  actors.tell(job, made.openEvent('there', 0, 'inc-2'));
  actors.advance(deliveredMs);
  actors.tell(job, { type: 'reader.lost', incarnation: 'inc-1' } as never);
  assert.equal([clips(actors, job).length, actors.list(job, 'reader').length], [1, 1]);
  actors.tell(job, { type: 'reader.lost', incarnation: 'inc-2' } as never);
  assert.equal([clips(actors, job).length, actors.list(job, 'reader').length], [0, 0]);
});

it('the downloads of one job are bounded; the same download may be opened twice', () => {
  const actors = open();
  const job = completed(actors);
  for (let nth = 0; nth < downloadsMax; nth++) assert.is(tryOpen(actors, job, `r${nth}`), 'open');
  assert.equal([tryOpen(actors, job, 'more'), tryOpen(actors, job, 'r0')], [429, 'open']);
  close(actors, job, 'r1');
  assert.is(tryOpen(actors, job, 'more'), 'open');
});

it('a second report of the same end changes nothing, and an unknown download delivers nothing', () => {
  const actors = open();
  const job = completed(actors);
  tryOpen(actors, job, 'a');
  close(actors, job, 'a', true);
  const at = clips(actors, job)[0]?.deliveredAt;
  actors.advance(1_000);
  close(actors, job, 'a', true);
  close(actors, job, 'never opened', true);
  assert.is(clips(actors, job)[0]?.deliveredAt, at);
});

it('each clip of a job has its own clock', () => {
  const actors = open();
  const job = begun(actors);
  actors.tell(job, made.doneEvent(made.completed(1, { clips: [made.clip(1), made.clip(2)] })));
  tryOpen(actors, job, 'a', 1);
  close(actors, job, 'a', true, 1);
  actors.advance(deliveredMs);
  assert.equal([tryOpen(actors, job, 'b', 0), tryOpen(actors, job, 'c', 1)], ['open', 410]);
});

it('a removal of bytes that fails is repeated a bounded number of times', () => {
  const actors = open();
  const job = completed(actors);
  actors.advance(windowMs);
  const [removal] = actors.activitiesOf(job);
  assert.equal([removal?.name, removal?.input], ['removal', { blob: 'clip_1' }]);
  let attempts = 0;
  for (let attempt = 1; removals(actors, job) === 1; attempt++) {
    attempts++;
    actors.tell(job, { ...made.failedEvent(attempt), type: 'removal.failed', id: 'clip_1' } as never);
    actors.advance(60_000);
  }
  assert.is(attempts, 10);
});

test.run();
