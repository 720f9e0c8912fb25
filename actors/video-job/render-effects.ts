/**
 * The runs of a render and of its abort: which run is the current one, how far it came, and when it is repeated. Pure; the
 * chart decides when they apply.
 */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { Refusal } from '../terms/refusal.ts';
import type {
  AbortDone,
  AbortFailed,
  AbortRetry,
  BegunRender,
  RenderAttempt,
  RenderBegin,
  RenderFailed,
  RenderMoved,
  RenderRetry,
  RenderSubmitted,
} from './events.ts';
import {
  awaitRetry,
  follow,
  isAbortable,
  isLeftRunning,
  isRepeatable,
  moveTo,
  retryAt,
  type SubmittedJob,
  submittedOf,
  type VideoJobState,
  withRemote,
} from './job-state.ts';
import type { FrozenCandidate, RemoteRender, RenderAsk } from './render-ask.ts';

export const RENDER_ACTIVITY = 'render';
export const ABORT_ACTIVITY = 'abort';
const RENDER = 'render';
const ABORT = 'abort';
const RENDER_RETRY = 'render.retry';
const ABORT_RETRY = 'abort.retry';
/** The longest run of one request to abort. */
const ABORT_MS = 60_000;
/** Requests to abort one render. */
export const ABORTS_MAX = 3;

/** Input of the activity `render`: everything except the progress of an earlier run, which `beginRender` answers. */
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

export function performRender(state: VideoJobState): Effect & { readonly type: 'perform' } {
  const { id: job, account, generation, ask, assets, candidates, createdAt, deadlineAt } = submittedOf(state);
  const input = { job, account, generation, ask, assets, candidates, createdAt, deadlineAt } satisfies RenderInput;
  return { type: 'perform', name: RENDER_ACTIVITY, id: RENDER, input: plain(input), deadlineAt };
}

function answerBegun({ candidate, remote }: VideoJobState): Effect {
  return reply({ candidate, remote } satisfies BegunRender);
}

const STALE = plain({
  refusal: { status: 409, type: 'conflict', message: 'Another attempt renders this job, or it has ended' },
} satisfies { readonly refusal: Refusal });

/** For the runner of an earlier run, or of a job that has ended: it has to stop. */
function refuseStale(): Effect {
  return { type: 'refuse', body: STALE };
}

/** The same where what the runner reported is kept. */
function answerStale(): Effect {
  return { type: 'reply', body: STALE };
}

function scheduleRetry(_: VideoJobState, event: RenderFailed | AbortFailed): Effect {
  const { key, attempt, failure } = event;
  const repeats = { key, attempt, failure: { code: failure.code, message: failure.message } };
  const name = event.type === 'render.failed' ? RENDER_RETRY : ABORT_RETRY;
  return { type: 'schedule', name, at: retryAt(event), event: { type: name, repeats } };
}

function repeatRender(state: VideoJobState, { repeats }: RenderRetry): Effect {
  return { ...performRender(state), repeats };
}

/** Asks the provider to abort the render, whose runner stops at once. */
function performAbort(state: VideoJobState, { at }: Stamped): Effect & { readonly type: 'perform' } {
  const { id: job, account, generation, candidates } = submittedOf(state);
  const { remote, endedAt } = state;
  const candidate = remote === null ? undefined : candidates[remote.candidate];
  if (remote === null || candidate === undefined) throw new Error('no provider has this render');
  const charged = endedAt === null;
  const input = plain({ job, account, generation, candidate, remote, charged } satisfies AbortInput);
  return { type: 'perform', name: ABORT_ACTIVITY, id: ABORT, input, deadlineAt: at + ABORT_MS };
}

function repeatAbort(state: VideoJobState, event: AbortRetry): Effect {
  return { ...performAbort(state, event), repeats: event.repeats };
}

function cutRender(): Effect[] {
  return [
    { type: 'cancel', perform: RENDER },
    { type: 'cancel', name: RENDER_RETRY },
  ];
}

function cutAbort(): Effect[] {
  return [
    { type: 'cancel', perform: ABORT },
    { type: 'cancel', name: ABORT_RETRY },
  ];
}

const REPORTS = ['render.begin', 'render.submitted', 'render.moved'] as const;
type Report = RenderBegin | RenderSubmitted | RenderMoved;

/** False for the report of a runner whose run is not the current one. */
function isCurrent({ waits, run }: VideoJobState, report: Report): boolean {
  return waits === null && report.run === run;
}

function isLate(state: VideoJobState, { failure, at }: RenderFailed): boolean {
  return failure.retriable && at >= submittedOf(state).deadlineAt;
}

export const guards = {
  isCurrent: guardOn(REPORTS, isCurrent),
  isRepeatable: guardOn('render.failed', isRepeatable),
  isLate: guardOn('render.failed', isLate),
  isLeftRunning: guardOn('render.submitted', isLeftRunning),
  isUnasked: guardOn('*', ({ remote }: VideoJobState) => remote === null),
  isAbortable: guardOn('*', isAbortable),
  mayAbortAgain: guardOn('abort.failed', (_: VideoJobState, { failure, attempt }: AbortFailed) => {
    return failure.retriable && attempt < ABORTS_MAX;
  }),
  isAbortCharged: guardOn('abort.done', (_: VideoJobState, { result }: AbortDone) => result.settlement !== null),
};

export const actions = {
  markProcessed: assignOn('*', (_: VideoJobState) => ({ processed: true })),
  answerBegun: emitOn('*', answerBegun),
  followRun: assignOn('render.attempt', (state: VideoJobState, { attempt }: RenderAttempt) => follow(state, attempt)),
  keepRemote: assignOn('render.submitted', (state: VideoJobState, { remote }: RenderSubmitted) =>
    withRemote(state, remote),
  ),
  dropRemote: assignOn('*', (state: VideoJobState) => withRemote(state, null)),
  moveOn: assignOn('render.moved', (state: VideoJobState, { candidate }: RenderMoved) => moveTo(state, candidate)),
  refuseStale: emitOn('*', refuseStale),
  answerStale: emitOn('*', answerStale),
  scheduleRetry: emitOn(['render.failed', 'abort.failed'], scheduleRetry),
  awaitRetry: assignOn('render.failed', awaitRetry),
  repeatRender: emitOn('render.retry', repeatRender),
  resumeRender: assignOn('render.retry', (state: VideoJobState, { repeats }: RenderRetry) =>
    follow(state, repeats.attempt + 1),
  ),
  cutRender: emitOn('*', cutRender),
  cutAbort: emitOn('*', cutAbort),
  abortRender: emitOn('*', performAbort),
  repeatAbort: emitOn('abort.retry', repeatAbort),
};
