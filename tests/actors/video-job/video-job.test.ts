import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { videoJobKind } from '../../../actors/video-job/video-job.ts';
import { bounded } from '../../support/bounded.ts';
import * as made from '../../support/model/video-jobs.ts';
import { ACCOUNT, KEY, START, settlement } from '../../support/model/words.ts';
import { TESTER } from '../../support/tester.ts';
import { account, announced, begun, generation, key, open, record, shown, statuses, submit } from './scene.ts';

const it = bounded(test, 10_000);

it('a submission holds the money of key and account in its own commit', () => {
  const actors = open();
  const job = submit(actors);
  assert.is(record(actors).status, 'pending');
  assert.is(account(actors).held, '1');
  assert.is(key(actors).held, '1');
  const { status, gateway, deadlineAt } = generation(actors);
  assert.equal([status, gateway], ['running', null]);
  assert.ok(deadlineAt > START + made.BOUNDS.jobMs);
  assert.equal(
    actors.activitiesOf(job).map(({ name }) => name),
    ['render'],
  );
});

it('without the money nothing is stored', () => {
  const actors = open('0.5');
  assert.throws(() => submit(actors), /payment_required/);
  assert.is(record(actors), null);
  assert.equal([account(actors).held, key(actors).held], ['0', '0']);
});

it('the clips, the charge and the end of the hold are one commit', () => {
  const actors = open();
  const job = submit(actors);
  actors.tell(job, made.beginEvent());
  assert.is(record(actors).status, 'in_progress');
  actors.tell(job, made.doneEvent(made.completed(1)));
  assert.is(record(actors).status, 'completed');
  assert.equal(record(actors).usage, { cost: '1', videoSeconds: '10' });
  assert.equal([account(actors).balance, account(actors).held, key(actors).held], ['99', '0', '0']);
  assert.is(generation(actors).settlement?.media?.videoSeconds, '10');
  assert.is(actors.list(job, 'clip').length, 1);
});

it('the limit of the key, a revoked key and a suspended account undo the submission', () => {
  const actors = open();
  actors.tell(KEY, { type: 'key.edit', by: TESTER, edit: { limit: '0.5', limitWindow: null } } as never);
  assert.throws(() => submit(actors), /"scope":"key"/);
  actors.tell(KEY, { type: 'key.edit', by: TESTER, edit: { limit: null, limitWindow: null } } as never);
  actors.tell(ACCOUNT, { type: 'account.suspend', by: TESTER });
  assert.throws(() => submit(actors), /"status":401/);
  actors.tell(ACCOUNT, { type: 'account.resume', by: TESTER });
  actors.tell(KEY, { type: 'key.revoke', by: TESTER });
  assert.throws(() => submit(actors), /"status":401/);
  assert.equal([record(actors), account(actors).holds, key(actors).held], [null, 0, '0']);
});

it('the 402 names what is available, so that a cheaper candidate can be asked for', () => {
  const actors = open('0.7');
  assert.throws(() => submit(actors), /"required":"1","available":"0.7"/);
  submit(actors, 2, { hold: { ...made.newJob(2).hold, amount: '0.7' } });
  assert.is(account(actors).held, '0.7');
});

it('a repeat of the submission returns what was recorded and holds once', () => {
  const actors = open();
  const job = made.newJob(1);
  const [first, second] = [1, 2].map(() => actors.ask(made.addressOf(job), made.submitEvent(job)));
  assert.equal(first, second);
  assert.is(account(actors).holds, 1);
});

it('an idempotency key stands for its job for a day, whatever became of it', () => {
  const actors = open('3');
  const idempotency = { key: 'k1', body: 'b1' };
  const job = begun(actors, 1, { idempotency });
  actors.tell(job, made.doneEvent(made.failed()));
  assert.throws(() => submit(actors, 2, { idempotency }), new RegExp(`"recorded":"${made.jobIdOf(1)}"`));
  assert.throws(() => submit(actors, 2, { idempotency: { ...idempotency, body: 'b2' } }), /"status":422/);
  assert.equal([record(actors, 2), account(actors).holds], [null, 0]);
  // A repeat is recognised also where the money is gone.
  submit(actors, 3, { hold: { ...made.newJob(3).hold, amount: '3' } });
  assert.throws(() => submit(actors, 4, { idempotency }), /recorded/);
  actors.advance(24 * 3_600_000);
  submit(actors, 5, { idempotency });
  assert.is(record(actors, 5).status, 'pending');
});

it('the states in order, and no member of the document before its fact is known (rule V1)', () => {
  const actors = open();
  const job = submit(actors);
  assert.equal(Object.keys(shown(actors)), ['id', 'polling_url', 'status']);
  actors.tell(job, made.beginEvent());
  assert.equal(Object.keys(shown(actors)), ['id', 'polling_url', 'status', 'generation_id']);
  actors.tell(job, made.submittedEvent());
  actors.tell(job, made.doneEvent(made.completed(1, { cost: '0.725', seconds: '7.25' })));
  assert.equal(shown(actors), {
    id: made.jobIdOf(1),
    polling_url: `/api/v1/videos/${made.jobIdOf(1)}`,
    status: 'completed',
    generation_id: made.generationOf(1),
    unsigned_urls: [`/api/v1/videos/${made.jobIdOf(1)}/content?index=0`],
    clip_durations_seconds: [7.25],
    usage: { cost: 0.725, is_byok: false, video_seconds: 7.25 },
  });
});

it('a runner that dies puts the job back to pending; its render goes on where the provider has it (rule V21, rule V22)', () => {
  const actors = open();
  const job = begun(actors);
  actors.tell(job, made.submittedEvent());
  const died = { type: 'render.attempt', id: 'render', attempt: 2 };
  assert.equal(statuses(actors, [() => actors.tell(job, died)]), ['pending']);
  assert.equal(shown(actors).generation_id, made.generationOf(1), 'a processed job stays processed');
  // The dead runner may still speak.
  for (const late of [made.beginEvent(1), made.submittedEvent(1)]) {
    assert.match(JSON.stringify(actors.ask(job, late)), /"status":409/);
  }
  assert.equal(actors.ask(job, made.beginEvent(2)), { candidate: 0, remote: made.remote() });
  assert.is(record(actors).status, 'in_progress');
  actors.tell(job, made.doneEvent(made.completed(1), 2));
  assert.equal([record(actors).status, account(actors).charges, account(actors).holds], ['completed', '1', 0]);
});

it('a failed candidate is left for good: a later attempt begins with the next one', () => {
  const actors = open();
  const job = begun(actors, 1, { candidates: [made.candidate(1), made.candidate(2)] });
  actors.tell(job, made.submittedEvent());
  assert.equal(actors.ask(job, { type: 'render.moved', run: 1, candidate: 1 } as never), {
    ...{ candidate: 1, remote: null },
  });
  actors.tell(job, { type: 'render.attempt', id: 'render', attempt: 2 } as never);
  assert.equal(actors.ask(job, made.beginEvent(2)), { candidate: 1, remote: null });
});

it('a failure of the service is repeated with a growing pause, under the same hold', () => {
  const actors = open();
  const job = begun(actors);
  for (const [attempt, pause] of [
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
  ] as const) {
    actors.tell(job, made.failedEvent(attempt));
    assert.equal([record(actors).status, actors.activitiesOf(job).length], ['pending', 0]);
    actors.advance(pause - 1);
    assert.is(actors.activitiesOf(job).length, 0);
    actors.advance(1);
    assert.is(actors.activitiesOf(job)[0]?.repeats?.attempt, attempt);
    actors.tell(job, made.beginEvent(attempt + 1));
  }
  assert.equal([record(actors).status, account(actors).held], ['in_progress', '1']);
});

it('a failure that no repetition overcomes fails the job as a fault of the marketplace, uncharged', () => {
  const actors = open();
  const job = begun(actors);
  actors.tell(job, made.failedEvent(1, false, 'poison'));
  const { status, fault, usage, error } = record(actors);
  assert.equal([status, fault, usage, error?.error_type], ['failed', 'marketplace', null, 'server']);
  assert.equal([generation(actors).status, account(actors).holds, account(actors).charges], ['released', 0, '0']);
});

it('a failed render is uncharged, and its reason is shown', () => {
  const actors = open();
  actors.tell(begun(actors), made.doneEvent(made.failed()));
  const { id: _, polling_url: __, ...rest } = shown(actors);
  assert.equal(rest, {
    status: 'failed',
    generation_id: made.generationOf(1),
    error: { code: 502, message: 'The provider failed', error_type: 'provider_unavailable' },
  });
  assert.equal([account(actors).balance, account(actors).holds], ['100', 0]);
});

it('rendered and charged but not stored: failed by fault of the marketplace, with its usage, never retried (rule V23)', () => {
  const actors = open();
  const charge = { ...settlement(made.generationOf(1), '1'), media: { videoSeconds: '10' } };
  const job = begun(actors);
  actors.tell(job, made.doneEvent(made.failed('marketplace', charge)));
  const { status, fault, usage } = shown(actors);
  assert.equal([status, fault], ['failed', 'marketplace']);
  assert.equal(usage, { cost: 1, is_byok: false, video_seconds: 10 });
  assert.equal([account(actors).charges, account(actors).holds, actors.activitiesOf(job).length], ['1', 0, 0]);
});

it('the settlement that is committed is that of the job, whichever attempt rendered it (rule V15)', () => {
  const actors = open();
  const job = begun(actors, 1, { candidates: [made.candidate(1), made.candidate(2)] });
  actors.tell(job, { type: 'render.attempt', id: 'render', attempt: 7 } as never);
  actors.tell(job, made.beginEvent(7));
  const served = { endpoint: 'ep_2', provider: 'Sim 2', tariff: 'tar_2' };
  const done = made.completed(1, { cost: '0.9' });
  if (done.outcome !== 'completed') throw new Error('it completes');
  actors.tell(job, made.doneEvent({ ...done, settlement: { ...done.settlement, attempt: 7, served } }, 7));
  const { status, endpoint, provider, tariff, late, overshoot } = generation(actors);
  assert.equal([status, endpoint, provider, tariff], ['settled', 'ep_2', 'Sim 2', 'tar_2']);
  assert.equal([late, overshoot, account(actors).charges], [false, null, '0.9']);
});

it('seconds without a declared price are recorded unpriced: the cost is null, never 0', () => {
  const actors = open();
  const done = made.completed(1, { cost: '0' });
  if (done.outcome !== 'completed') throw new Error('it completes');
  const unpriced = { ...done.settlement, unpriced: ['video_second'] };
  actors.tell(begun(actors), made.doneEvent({ ...done, settlement: unpriced }));
  assert.equal(shown(actors).usage, { cost: null, is_byok: false, video_seconds: 10 });
});

it('a charge that the account refuses fails the job, uncharged and without clips', () => {
  const actors = open();
  const job = begun(actors);
  const malformed = made.doneEvent(made.completed(1, { cost: `0.${'1'.repeat(25)}` }));
  assert.throws(() => actors.tell(job, malformed), /hold.settle/);
  actors.tell(job, { ...malformed, type: 'render.done.refused' });
  assert.equal([record(actors).status, record(actors).fault], ['failed', 'marketplace']);
  assert.equal([actors.list(job, 'clip').length, account(actors).charges, account(actors).holds], [0, '0', 0]);
});

it('without an outcome at its deadline the job fails, and its hold ends in that commit', () => {
  for (const how of ['pending', 'in_progress', 'waiting'] as const) {
    const actors = open();
    const job = how === 'pending' ? submit(actors) : begun(actors);
    if (how === 'waiting') actors.tell(job, made.failedEvent(30));
    actors.advance(made.BOUNDS.jobMs - 1);
    assert.is(account(actors).holds, 1);
    actors.advance(1);
    assert.equal([record(actors).status, record(actors).error?.error_type], ['failed', 'timeout']);
    assert.equal([generation(actors).status, account(actors).holds], ['released', 0]);
    assert.equal(
      actors.activitiesOf(job).map(({ name }) => name),
      [],
    );
  }
});

it('a failure too late for another attempt fails the job', () => {
  const actors = open();
  const job = begun(actors);
  actors.advance(made.BOUNDS.jobMs - 100);
  actors.tell(job, made.failedEvent());
  assert.equal([record(actors).status, account(actors).holds], ['failed', 0]);
});

it('a pending job is cancelled at once and uncharged; a second cancel answers the same', () => {
  const actors = open();
  const job = submit(actors);
  const [first, second] = [1, 2].map(() => actors.ask(job, { type: 'job.cancel' }));
  assert.equal(first, second);
  assert.equal([record(actors).status, record(actors).assets], ['cancelled', null]);
  assert.equal([account(actors).holds, actors.activitiesOf(job).length], [0, 0]);
  assert.match(JSON.stringify(actors.ask(job, made.beginEvent())), /"status":409/);
});

it('a render that no provider has accepted is cancelled with its runner', () => {
  const actors = open();
  const job = begun(actors);
  actors.tell(job, { type: 'job.cancel' });
  assert.equal([record(actors).status, account(actors).holds, actors.activitiesOf(job).length], ['cancelled', 0, 0]);
});

it('a render at a provider that can abort it is aborted there and charged by what it reports', () => {
  for (const reported of [null, { ...settlement('x', '0.3'), media: { videoSeconds: '3' } }]) {
    const actors = open();
    const job = begun(actors);
    actors.tell(job, made.submittedEvent());
    assert.is(actors.ask<{ status: string }>(job, { type: 'job.cancel' }).status, 'in_progress');
    const [abort] = actors.activitiesOf(job);
    assert.equal(
      [abort?.name, (abort?.input as { readonly remote: unknown } | undefined)?.remote],
      ['abort', made.remote()],
    );
    actors.tell(job, { type: 'abort.done', id: 'abort', attempt: 1, result: { settlement: reported } } as never);
    assert.is(record(actors).status, 'cancelled');
    assert.equal(record(actors).usage, reported === null ? null : { cost: '0.3', videoSeconds: '3' });
    assert.equal([account(actors).charges, account(actors).holds], [reported === null ? '0' : '0.3', 0]);
  }
});

it('a provider that does not answer the abort is asked three times; then the job is cancelled uncharged', () => {
  const actors = open();
  const job = begun(actors);
  actors.tell(job, made.submittedEvent());
  actors.tell(job, { type: 'job.cancel' });
  for (let attempt = 1; attempt <= 3; attempt++) {
    assert.is(record(actors).status, 'in_progress');
    actors.tell(job, { ...made.failedEvent(attempt), type: 'abort.failed', id: 'abort' } as never);
    actors.advance(60_000);
  }
  assert.equal([record(actors).status, account(actors).holds], ['cancelled', 0]);
});

it('a render at a provider that cannot abort it runs on: the cancel is refused', () => {
  const actors = open();
  const job = begun(actors, 1, { candidates: [made.candidate(1, { cancellable: false })] });
  actors.tell(job, made.submittedEvent());
  assert.match(JSON.stringify(actors.ask(job, { type: 'job.cancel' })), /"status":409.*cannot abort/);
  actors.tell(job, made.doneEvent(made.completed(1)));
  assert.is(record(actors).status, 'completed');
  assert.match(JSON.stringify(actors.ask(job, { type: 'job.cancel' })), /"status":409.*completed/);
});

it('completed and expired are announced once each, other ends never (rule V38)', () => {
  const callbackUrl = 'https://example.com/hook';
  const ends = {
    completed: (actors, job) => actors.tell(job, made.doneEvent(made.completed(1))),
    failed: (actors, job) => actors.tell(job, made.doneEvent(made.failed())),
    cancelled: (actors, job) => actors.tell(job, { type: 'job.cancel' }),
  } satisfies Record<string, (actors: ReturnType<typeof open>, job: string) => void>;
  for (const [status, end] of Object.entries(ends)) {
    const actors = open();
    end(actors, begun(actors, 1, { callbackUrl }));
    const expected = status === 'completed' ? ['video.generation.completed'] : [];
    assert.equal([record(actors).status, announced(actors)], [status, expected]);
    actors.advance(25 * 3_600_000);
    if (status === 'completed') expected.push('video.generation.expired');
    assert.equal(announced(actors), expected);
  }
});

it('an ended job is shown for its retention, then neither row nor actor remains', () => {
  const actors = open();
  actors.tell(begun(actors), made.doneEvent(made.failed()));
  actors.advance(made.BOUNDS.retentionMs);
  assert.is(record(actors), null);
});

it('`why` names the state, the attempt, the endpoint, whether a provider has the render, and what is waited for', () => {
  const actors = open();
  const job = submit(actors);
  const why = () => actors.explain(job).join('\n');
  assert.match(why(), /waits for attempt 1 to begin.*\n.*sim-1 \(candidate 1 of 1\), which has not accepted/);
  actors.tell(job, made.beginEvent());
  actors.tell(job, made.submittedEvent());
  assert.match(why(), /Attempt 1 renders.*\n.*sim-1 .*accepted the render at 2025/);
  actors.tell(job, made.failedEvent());
  assert.match(why(), /waits 1 s for attempt 2: error: no/);
  actors.advance(1_000);
  actors.tell(job, made.doneEvent(made.completed(1), 2));
  assert.match(why(), /completed since.*\n10 s were charged: 1 USD/);
});

it('what the caller wrote is gone once the job has ended', () => {
  for (const end of [{ type: 'job.cancel' }, made.doneEvent(made.failed()), made.doneEvent(made.completed(1))]) {
    const actors = open();
    const options = { style: 'my secret' };
    const job = begun(actors, 1, { candidates: [made.candidate(1, { options })] });
    assert.match(JSON.stringify(actors.context(job)), /YSBsaWdodGhvdXNl.*my secret/);
    actors.tell(job, end);
    assert.not.match(JSON.stringify(actors.context(job)), /YSBsaWdodGhvdXNl|my secret/);
  }
});

it('operators see neither the prompt nor the callback', () => {
  const actors = open();
  const job = submit(actors, 1, { callbackUrl: 'https://example.com/hook?secret=1' });
  const context = JSON.stringify(videoJobKind.redact(actors.context(job)));
  assert.not.match(context, /YSBsaWdodGhvdXNl|secret=1/);
});

it('a job that no endpoint can render fails on the way of any other, uncharged', () => {
  const actors = open('0');
  const unrenderable = { code: 400, message: 'No endpoint renders 7.3 s', error_type: 'invalid_request' } as const;
  const hold = { ...made.newJob(1).hold, amount: '0' };
  const job = submit(actors, 1, { candidates: [], unrenderable, hold });
  assert.equal([record(actors).status, actors.activitiesOf(job).length], ['pending', 0]);
  actors.tell(job, { type: 'job.refuse' });
  assert.is(record(actors).status, 'in_progress');
  actors.advance(0);
  assert.is(record(actors).status, 'failed');
  assert.equal(record(actors).error, unrenderable);
  assert.equal([generation(actors).status, account(actors).holds], ['released', 0]);
});

test.run();
