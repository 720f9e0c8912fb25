import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import type { AccountState } from '../../../actors/account/account-state.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import type { NewVideoJob } from '../../../actors/video-job/events.ts';
import type { JobRecord } from '../../../actors/video-job/job-record.ts';
import { videoJobKind } from '../../../actors/video-job/video-job.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as made from '../../support/model/video-jobs.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY, START } from '../../support/model/words.ts';

const it = bounded(test, 10_000);

function open(deposit = '100'): PureActors {
  const actors = new PureActors([accountKind(), keyKind, videoJobKind], START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(ACCOUNT, words.depositEvent('dep-1', deposit));
  actors.tell(KEY, words.createKeyEvent());
  return actors;
}

const account = (actors: PureActors) => actors.context<AccountState>(ACCOUNT);
const key = (actors: PureActors) => actors.context<KeyState>(KEY);
const generation = (actors: PureActors, nth = 1) =>
  actors.row<Generation>(ACCOUNT, 'generation', made.generationOf(nth)) as Generation;
const record = (actors: PureActors, nth = 1) =>
  actors.row<JobRecord>(made.addressOf({ id: made.jobIdOf(nth) }), 'job', made.jobIdOf(nth)) as JobRecord;

function submit(actors: PureActors, nth = 1, more: Partial<NewVideoJob> = {}): string {
  const job = made.newJob(nth, more);
  actors.tell(made.addressOf(job), made.submitEvent(job));
  return made.addressOf(job);
}

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
