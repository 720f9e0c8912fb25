/** The row, the answers, the announcements and the money of a video job, and the timers that end it. Pure. */
import { type ActorEvent, assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import { putFeedEvent } from '../terms/feed-event.ts';
import type { AttemptRecord, HoldRequest, Release, Settlement } from '../terms/hold.ts';
import { accountAddress } from '../terms/ids.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { announceWebhook, mintSigningSecret } from '../terms/webhook.ts';
import { type AbortDone, attemptsOf, type JobSubmit, type RenderDone, type RenderDoneRefused } from './events.ts';
import { jobDocument } from './job-document.ts';
import type { JobRecord, VideoStatus } from './job-record.ts';
import {
  cancel,
  cancelCharged,
  end,
  errorOf,
  fail,
  failByService,
  failUnrenderable,
  type SubmittedJob,
  submit,
  submittedOf,
  type VideoJobState,
  windowEndsAt,
} from './job-state.ts';
import { performRender } from './render-effects.ts';

const DEADLINE = 'job.deadline';
const REFUSE = 'job.refuse';
const WINDOW = 'job.window';
const FORGET = 'job.forget';

/** A job holds once, for all its attempts to render. */
const HOLD_ATTEMPT = 1;

export function recordOf(state: VideoJobState, status: VideoStatus): JobRecord {
  const { id, account, key, generation, model, createdAt, assets, candidates } = submittedOf(state);
  const { processed, renderedAt, endedAt, clipSeconds, usage, error, fault, run, candidate } = state;
  return {
    ...{ id, account, key, generation, model, status, processed, createdAt, renderedAt, endedAt },
    ...{ clipSeconds, usage, error, fault, run, candidate },
    candidates: candidates.map(({ tag }) => tag),
    assets: endedAt === null ? assets : null,
  };
}

/** The status that a state of the chart is shown as. */
export interface ShownAs {
  readonly status: VideoStatus;
}

function putJob(state: VideoJobState, _: Stamped, { status }: ShownAs): Effect {
  const record = recordOf(state, status);
  return { type: 'put', collection: 'job', id: record.id, body: plain(record) };
}

/** For the account's feed of events: the document of the job differs from the last one there. */
function publishChange(state: VideoJobState, { at }: Stamped, { status }: ShownAs): Effect {
  const record = recordOf(state, status);
  const { id, account } = record;
  return putFeedEvent({ id, account, type: 'video.updated', at, object: { ...record, assets: null } });
}

function answerJob(state: VideoJobState, _: Stamped, { status }: ShownAs): Effect {
  return reply(recordOf(state, status));
}

/** Creates the webhook of the event, if the job has a callback. */
export function announce(
  state: VideoJobState,
  { at }: Stamped,
  { status }: { readonly status: AnnouncedStatus },
): Effect[] {
  const { account, id: job, callbackUrl: url, bounds } = submittedOf(state);
  if (url === null) return [];
  const type = `video.generation.${status}` as const;
  const document = jobDocument(recordOf(state, status));
  return [announceWebhook({ account, job, type, at, url, document, retentionMs: bounds.retentionMs })];
}

export type AnnouncedStatus = 'completed' | 'expired';

const UNCANCELLABLE = {
  in_progress: 'The endpoint that renders this job cannot abort a render',
  completed: 'This job has ended: it is completed',
  failed: 'This job has ended: it is failed',
  expired: 'This job has ended: it is expired',
} as const;

export type UncancellableVideo = keyof typeof UNCANCELLABLE;

function refuseCancel(_: VideoJobState, __: Stamped, { status }: { readonly status: UncancellableVideo }): Effect {
  const message = UNCANCELLABLE[status];
  return reply({ refusal: { status: 409, type: 'conflict', message } } satisfies RefusedAnswer);
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
    ...{ generation, attempt: HOLD_ATTEMPT, model, repeat: false, counted: true, apiType: 'video' },
    gateway: null,
    deadlineAt: deadlineAt + bounds.holdSlackMs,
  };
}

/** The charge, in the commit that ends the job. It ends the one hold of the job, whichever run rendered. */
export function settle(state: VideoJobState, { result: { settlement } }: RenderDone | AbortDone): Effect {
  if (settlement === null) throw new Error('a charge without a settlement');
  const { generation } = submittedOf(state);
  const own = { ...settlement, generation, attempt: HOLD_ATTEMPT } satisfies Settlement;
  return toAccount(state, { type: 'hold.settle', settlement: plain(own) });
}

/**
 * Nothing is charged: the hold ends in the commit that ends the job. The generation shows the error of a failed job and
 * its calls to providers.
 */
function release(state: VideoJobState, reason: string, attempts: readonly AttemptRecord[] = []): Effect {
  const { generation, key } = submittedOf(state);
  const releases = [
    { generation, attempt: HOLD_ATTEMPT, reason, status: state.error?.code ?? null, attempts },
  ] satisfies readonly Release[];
  return toAccount(state, { type: 'holds.release', key, releases: plain(releases) });
}

/** What ends with every job: its timers. The row is shown for its retention. */
function endJob(state: VideoJobState, { at }: Stamped): Effect[] {
  const { retentionMs } = submittedOf(state).bounds;
  return [
    { type: 'cancel', name: DEADLINE },
    { type: 'cancel', name: REFUSE },
    { type: 'schedule', name: FORGET, at: at + retentionMs, event: { type: FORGET } },
  ];
}

/** Until its window closes, the clips of the job can be read. */
function openWindow(state: VideoJobState): Effect {
  return { type: 'schedule', name: WINDOW, at: windowEndsAt(state), event: { type: WINDOW } };
}

/** Neither list nor look-up shows the job from now on. */
function forget(state: VideoJobState): Effect[] {
  return [{ type: 'remove', collection: 'job', id: submittedOf(state).id }, { type: 'stop' }];
}

function toAccount(state: VideoJobState, event: ActorEvent): Effect {
  return { type: 'send', to: accountAddress(submittedOf(state).account), event };
}

const FAILED = 'its video job failed';
/** The reasons of a release that no result states. */
const RELEASES = {
  cancelled: 'its video job was cancelled',
  late: 'its video job had no outcome before its deadline',
} as const;
export type ReleaseReason = keyof typeof RELEASES;

function releaseFailed(state: VideoJobState, event: Stamped | RenderDone | RenderDoneRefused): Effect {
  return release(state, state.error?.message ?? FAILED, 'result' in event ? attemptsOf(event.result) : []);
}

/** Why a job fails for which no runner reports an outcome. */
const LATE = errorOf(504, 'timeout', 'The render did not end in time; nothing was charged');
const FAULTS = {
  unrendered: 'The service could not render this job: the nodes that ran it failed each time',
  uncharged: 'The charge of this render was refused, so its clips were not kept; nothing was charged',
} as const;
export type Fault = keyof typeof FAULTS;

const RENDERED = ['render.done'] as const;

export const guards = {
  isNew: guardOn('*', ({ submitted }: VideoJobState) => submitted === null),
  isCompleted: guardOn(RENDERED, (_: VideoJobState, { result }: RenderDone) => result.outcome === 'completed'),
  isCharged: guardOn(RENDERED, (_: VideoJobState, { result }: RenderDone) => result.settlement !== null),
  isFetched: guardOn('*', ({ fetched }: VideoJobState) => fetched),
};

export const actions = {
  submit: assignOn('job.submit', submit),
  recordSubmission: emitOn('job.submit', recordSubmission),
  put: emitOn('*', putJob),
  publishChange: emitOn('*', publishChange),
  answer: emitOn('*', answerJob),
  announce: emitOn('*', announce),
  refuseCancel: emitOn('*', refuseCancel),
  refuseSoon: emitOn('*', refuseSoon),
  end: assignOn(RENDERED, (state: VideoJobState, { result, at }: RenderDone) => end(state, result, at)),
  failUnrenderable: assignOn('*', (state: VideoJobState, { at }) => failUnrenderable(state, at)),
  failLate: assignOn('*', (state: VideoJobState, { at }) => fail(state, LATE, at)),
  failByService: assignOn('*', (state: VideoJobState, { at }, { as }: { readonly as: Fault }) =>
    failByService(state, FAULTS[as], at),
  ),
  cancel: assignOn('*', (state: VideoJobState, { at }) => cancel(state, at)),
  cancelCharged: assignOn('abort.done', (state: VideoJobState, { result, at }: AbortDone) =>
    cancelCharged(state, result.settlement, at),
  ),
  settle: emitOn(['render.done', 'abort.done'], settle),
  release: emitOn('*', (state: VideoJobState, _, { as }: { readonly as: ReleaseReason }) =>
    release(state, RELEASES[as]),
  ),
  releaseFailed: emitOn('*', releaseFailed),
  endJob: emitOn('*', endJob),
  openWindow: emitOn('*', openWindow),
  forget: emitOn('*', forget),
};
