import type { AccountState } from '../../../actors/account/account-state.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import type { NewWebhook } from '../../../actors/terms/webhook.ts';
import type { NewVideoJob } from '../../../actors/video-job/job.ts';
import type { JobRecord } from '../../../actors/video-job/job-record.ts';
import { jobDocument } from '../../../actors/video-job/job-record.ts';
import { videoJobKind } from '../../../actors/video-job/video-job.ts';
import { signingKind } from '../../../actors/webhook/signing.ts';
import { webhookKind } from '../../../actors/webhook/webhook.ts';
import { funded } from '../../support/model/funded.ts';
import type { PureActors } from '../../support/model/pure-actors.ts';
import * as made from '../../support/model/video-jobs.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';

export const open = (deposit = '100'): PureActors => funded(deposit, {}, [videoJobKind, webhookKind, signingKind]);

export const account = (actors: PureActors) => actors.context<AccountState>(ACCOUNT);
export const key = (actors: PureActors) => actors.context<KeyState>(KEY);
export const generation = (actors: PureActors, nth = 1) =>
  actors.row<Generation>(ACCOUNT, 'generation', made.generationOf(nth)) as Generation;
export const record = (actors: PureActors, nth = 1) =>
  actors.row<JobRecord>(made.addressOf({ id: made.jobIdOf(nth) }), 'job', made.jobIdOf(nth)) as JobRecord;
/** The job as `GET /videos/:id` answers it. */
export const shown = (actors: PureActors, nth = 1) =>
  JSON.parse(jobDocument(record(actors, nth))) as Record<string, unknown>;

export function submit(actors: PureActors, nth = 1, more: Partial<NewVideoJob> = {}): string {
  const job = made.newJob(nth, more);
  actors.tell(made.addressOf(job), made.submitEvent(job));
  return made.addressOf(job);
}

/** A job whose first attempt has begun. */
export function begun(actors: PureActors, nth = 1, more: Partial<NewVideoJob> = {}): string {
  const job = submit(actors, nth, more);
  actors.tell(job, made.beginEvent());
  return job;
}

/** A job with one clip. */
export function completed(actors: PureActors, nth = 1, more: Partial<NewVideoJob> = {}): string {
  const job = begun(actors, nth, more);
  actors.tell(job, made.doneEvent(made.completed(nth)));
  return job;
}

/** Runs `steps` in order and returns the status after each. */
export function statuses(actors: PureActors, steps: readonly (() => void)[]): readonly string[] {
  return steps.map((step) => {
    step();
    return record(actors).status;
  });
}

/** The webhooks that were created, by type. */
export function announced(actors: PureActors): readonly string[] {
  return [...actors.snapshots.keys()]
    .filter((address) => address.startsWith('webhook:'))
    .map((address) => (actors.context<{ readonly webhook: NewWebhook }>(address).webhook as NewWebhook).type)
    .sort();
}
