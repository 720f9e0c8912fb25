/** The effects of a video job: its rows, its answers, its hold and its render. Pure; the chart decides when they apply. */
import type { ActorEvent, Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { putFeedEvent } from '../terms/feed-event.ts';
import type { AttemptRecord, HoldRequest, Release, Settlement } from '../terms/hold.ts';
import { accountAddress } from '../terms/ids.ts';
import type { Refusal } from '../terms/refusal.ts';
import { mintSigningSecret } from '../terms/webhook.ts';
import type { AbortFailed, AbortRetry, BegunRender, JobSubmit, RenderFailed, RenderRetry } from './events.ts';
import type { JobRecord, VideoStatus } from './job-record.ts';
import { retryAt, type SubmittedJob, submittedOf, type VideoJobState } from './job-state.ts';
import type { FrozenCandidate, RemoteRender, RenderAsk } from './render-ask.ts';

export const RENDER_ACTIVITY = 'render';
export const ABORT_ACTIVITY = 'abort';
const RENDER = 'render';
const ABORT = 'abort';
const DEADLINE = 'job.deadline';
const REFUSE = 'job.refuse';
const WINDOW = 'job.window';
const FORGET = 'job.forget';
const RENDER_RETRY = 'render.retry';
const ABORT_RETRY = 'abort.retry';
/** The longest run of one request to abort. */
const ABORT_MS = 60_000;
/** Requests to abort one render. */
export const ABORTS_MAX = 3;

/** A job holds once, for all its attempts to render. */
const HOLD_ATTEMPT = 1;

/** Input of the activity `render`: everything but how far an earlier attempt came, which `beginRender` answers. */
export interface RenderInput {
  readonly job: string;
  readonly account: string;
  readonly generation: string;
  readonly ask: RenderAsk;
  readonly assets: SubmittedJob['assets'];
  readonly candidates: readonly FrozenCandidate[];
  /** Store times, ms. */
  readonly createdAt: number;
  readonly deadlineAt: number;
}

/** Input of the activity `abort`. */
export interface AbortInput {
  readonly job: string;
  readonly account: string;
  readonly generation: string;
  readonly candidate: FrozenCandidate;
  readonly remote: RemoteRender;
  /** False: the job has ended, so nothing can be charged. */
  readonly charged: boolean;
}

export function recordOf(state: VideoJobState, status: VideoStatus): JobRecord {
  const { id, account, key, generation, model, createdAt, assets, candidates } = submittedOf(state);
  const { processed, renderedAt, endedAt, clipSeconds, usage, error, fault, attempt, candidate } = state;
  return {
    ...{ id, account, key, generation, model, status, processed, createdAt, renderedAt, endedAt },
    ...{ clipSeconds, usage, error, fault, attempt, candidate },
    candidates: candidates.map(({ tag }) => tag),
    assets: endedAt === null ? assets : null,
  };
}

export function putJob(state: VideoJobState, status: VideoStatus): Effect {
  const record = recordOf(state, status);
  return { type: 'put', collection: 'job', id: record.id, body: plain(record) };
}

/** For the account's feed of events: the document of the job differs from the last one there. */
export function putJobChange(state: VideoJobState, status: VideoStatus, at: number): Effect {
  const record = recordOf(state, status);
  const { id, account } = record;
  return putFeedEvent({ id, account, type: 'video.updated', at, object: { ...record, assets: null } });
}

export function answerJob(state: VideoJobState, status: VideoStatus): Effect {
  return { type: 'reply', body: plain(recordOf(state, status)) };
}

export function refuseCancel(message: string): Effect {
  return { type: 'reply', body: plain({ refusal: { status: 409, type: 'conflict', message } satisfies Refusal }) };
}

/**
 * The submission: the idempotency key is claimed, the signing secret minted for the first callback, the money held, the
 * render asked for. A refusal of key or account undoes all of it.
 */
export function recordSubmission(state: VideoJobState, { job, at }: JobSubmit): Effect[] {
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
    unrenderable === null ? performRender(state) : refuseSoon(at),
  ];
}

/** A job without candidates takes the way of any other, so that its owner sees why it failed. */
export function refuseSoon(at: number): Effect {
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

export function performRender(state: VideoJobState): Effect & { readonly type: 'perform' } {
  const { id: job, account, generation, ask, assets, candidates, createdAt, deadlineAt } = submittedOf(state);
  const input = { job, account, generation, ask, assets, candidates, createdAt, deadlineAt } satisfies RenderInput;
  return { type: 'perform', name: RENDER_ACTIVITY, id: RENDER, input: plain(input), deadlineAt };
}

export function answerBegun({ candidate, remote }: VideoJobState): Effect {
  return { type: 'reply', body: plain({ candidate, remote } satisfies BegunRender) };
}

const STALE = plain({
  refusal: { status: 409, type: 'conflict', message: 'Another attempt renders this job, or it has ended' },
} satisfies { readonly refusal: Refusal });

/** The runner of an older attempt, or of a job that has ended: it has to stop. */
export function refuseStale(): Effect {
  return { type: 'refuse', body: STALE };
}

/** The same where what the runner reported is kept. */
export function answerStale(): Effect {
  return { type: 'reply', body: STALE };
}

export function scheduleRetry(event: RenderFailed | AbortFailed): Effect {
  const { key, attempt, failure } = event;
  const repeats = { key, attempt, failure: { code: failure.code, message: failure.message } };
  const name = event.type === 'render.failed' ? RENDER_RETRY : ABORT_RETRY;
  return { type: 'schedule', name, at: retryAt(event), event: { type: name, repeats } };
}

export function repeatRender(state: VideoJobState, { repeats }: RenderRetry): Effect {
  return { ...performRender(state), repeats };
}

/** Asks the provider to abort the render, whose runner stops at once. */
export function performAbort(state: VideoJobState, at: number): Effect & { readonly type: 'perform' } {
  const { id: job, account, generation, candidates } = submittedOf(state);
  const { remote, endedAt } = state;
  const candidate = remote === null ? undefined : candidates[remote.candidate];
  if (remote === null || candidate === undefined) throw new Error('no provider has this render');
  const charged = endedAt === null;
  const input = plain({ job, account, generation, candidate, remote, charged } satisfies AbortInput);
  return { type: 'perform', name: ABORT_ACTIVITY, id: ABORT, input, deadlineAt: at + ABORT_MS };
}

export function repeatAbort(state: VideoJobState, { repeats, at }: AbortRetry): Effect {
  return { ...performAbort(state, at), repeats };
}

export function cutRender(): Effect[] {
  return [
    { type: 'cancel', perform: RENDER },
    { type: 'cancel', name: RENDER_RETRY },
  ];
}

export function cutAbort(): Effect[] {
  return [
    { type: 'cancel', perform: ABORT },
    { type: 'cancel', name: ABORT_RETRY },
  ];
}

/** The charge, in the commit that ends the job. It ends the one hold of the job, whichever attempt rendered. */
export function settle(state: VideoJobState, settlement: Settlement): Effect {
  const { generation } = submittedOf(state);
  const own = { ...settlement, generation, attempt: HOLD_ATTEMPT } satisfies Settlement;
  return toAccount(state, { type: 'hold.settle', settlement: plain(own) });
}

/**
 * Nothing is charged: the hold ends in the commit that ends the job. The generation shows the error of a failed job and
 * its calls to providers.
 */
export function release(state: VideoJobState, reason: string, attempts: readonly AttemptRecord[] = []): Effect {
  const { generation, key } = submittedOf(state);
  const releases = [
    { generation, attempt: HOLD_ATTEMPT, reason, status: state.error?.code ?? null, attempts },
  ] satisfies readonly Release[];
  return toAccount(state, { type: 'holds.release', key, releases: plain(releases) });
}

/** What ends with every job: its timers. The row is shown for its retention. */
export function endJob(state: VideoJobState, at: number): Effect[] {
  const { retentionMs } = submittedOf(state).bounds;
  return [
    { type: 'cancel', name: DEADLINE },
    { type: 'cancel', name: REFUSE },
    { type: 'schedule', name: FORGET, at: at + retentionMs, event: { type: FORGET } },
  ];
}

export function openWindow(at: number): Effect {
  return { type: 'schedule', name: WINDOW, at, event: { type: WINDOW } };
}

/** Neither list nor look-up shows the job from now on. */
export function forget(state: VideoJobState): Effect[] {
  return [{ type: 'remove', collection: 'job', id: submittedOf(state).id }, { type: 'stop' }];
}

function toAccount(state: VideoJobState, event: ActorEvent): Effect {
  return { type: 'send', to: accountAddress(submittedOf(state).account), event };
}
