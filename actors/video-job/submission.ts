/** The submission of a video job: its idempotency key, its hold, its first run. Pure. */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { HoldRequest } from '../terms/hold.ts';
import { timeOfId } from '../terms/ids.ts';
import { mintSigningSecret } from '../terms/webhook.ts';
import {
  DEADLINE,
  HOLD_ATTEMPT,
  type NewVideoJob,
  REFUSE,
  type SubmittedJob,
  submittedOf,
  toAccount,
  type VideoBounds,
  type VideoJobState,
} from './job.ts';
import { performRender } from './render.ts';

export type JobSubmit = Stamped & {
  readonly type: 'job.submit';
  readonly job: NewVideoJob;
  readonly bounds: VideoBounds;
};

function submit(state: VideoJobState, { job, bounds, at }: JobSubmit): VideoJobState {
  const { idempotency: _, ...kept } = job;
  return { ...state, submitted: { ...kept, createdAt: timeOfId(job.id), deadlineAt: at + bounds.jobMs, bounds } };
}

/**
 * The submission: the idempotency key is claimed, the signing secret minted for the first callback, the money held, the
 * render asked for. A refusal of key or account undoes all of it.
 */
function recordSubmission(state: VideoJobState, { job, at }: JobSubmit): Effect[] {
  const submitted = submittedOf(state);
  const { key, id, account, deadlineAt, callbackUrl, unrenderable } = submitted;
  const { idempotency } = job;
  const claim: Effect[] =
    idempotency === undefined
      ? []
      : [toAccount(state, { type: 'submission.claim', submission: id, idempotency: plain(idempotency) })];
  return [
    ...claim,
    ...(callbackUrl === null ? [] : [mintSigningSecret(account)]),
    { type: 'send', to: key, event: { type: 'job.admit', request: plain(holdOf(submitted)) } },
    { type: 'schedule', name: DEADLINE, at: deadlineAt, event: { type: DEADLINE } },
    unrenderable === null ? performRender(state) : refuseSoon(state, { at }),
  ];
}

/** A job without candidates passes through the usual states, so that its owner sees why it failed. */
function refuseSoon(_: VideoJobState, { at }: Pick<Stamped, 'at'>): Effect {
  return { type: 'schedule', name: REFUSE, at, event: { type: REFUSE } };
}

function holdOf({ generation, model, hold, deadlineAt, bounds }: SubmittedJob): HoldRequest {
  return {
    ...hold,
    generation,
    attempt: HOLD_ATTEMPT,
    model,
    repeat: false,
    counted: true,
    apiType: 'video',
    gateway: null,
    deadlineAt: deadlineAt + bounds.holdSlackMs,
  };
}

export const guards = {
  isNew: guardOn('*', ({ submitted }: VideoJobState) => submitted === null),
};

export const actions = {
  submit: assignOn('job.submit', submit),
  recordSubmission: emitOn('job.submit', recordSubmission),
  refuseSoon: emitOn('*', refuseSoon),
};
