/**
 * The runs of a render and of its abort: which run is the current one, how far it came, and when it is repeated. Pure; the
 * chart decides when they apply.
 */
import { assignOn, type Effect, emitOn, guardOn, type Repeats, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { Refusal } from '../terms/refusal.ts';
import { type Failed, retryAt, type SubmittedJob, submittedOf, type VideoJobState } from './job.ts';
import type { FrozenCandidate, RemoteRender, RenderAsk } from './render-ask.ts';

/** From the runner of this run, before it calls a provider; answered with `BegunRender`. */
type RenderBegin = Stamped & { readonly type: 'render.begin'; readonly run: number };

/** From the runner: a provider has accepted the render. */
type RenderSubmitted = Stamped & {
  readonly type: 'render.submitted';
  readonly run: number;
  readonly remote: RemoteRender;
};

/** From the runner: the candidate failed without a charge, and `candidate` is tried next. */
type RenderMoved = Stamped & {
  readonly type: 'render.moved';
  readonly run: number;
  readonly candidate: number;
};

/** Where a runner continues: polls `remote`, else renders with `candidate`. */
export interface BegunRender {
  readonly candidate: number;
  readonly remote: RemoteRender | null;
}

/** A failure of the service; the failure of a provider is a `RenderResult`. */
type RenderFailed = Stamped & Failed & { readonly type: 'render.failed' };

/** The runner died; the next run begins. `attempt` is its number, in the runtime's word. */
type RenderAttempt = Stamped & { readonly type: 'render.attempt'; readonly attempt: number };

/** Timer: a failed run is repeated. */
type RenderRetry = Stamped & { readonly type: 'render.retry'; readonly repeats: Repeats };

type AbortFailed = Stamped & Failed & { readonly type: 'abort.failed' };

type AbortRetry = Stamped & { readonly type: 'abort.retry'; readonly repeats: Repeats };

const RENDER_ACTIVITY = 'render';

const ABORT_ACTIVITY = 'abort';

const RENDER = 'render';

const ABORT = 'abort';

const RENDER_RETRY = 'render.retry';

const ABORT_RETRY = 'abort.retry';

/** The longest run of one request to abort. */
const ABORT_MS = 60_000;

/** Requests to abort one render. */
const ABORTS_MAX = 3;

/** Input of the activity `render`: everything except the progress of an earlier run, which `beginRender` answers. */
export interface RenderInput {
  readonly job: string;
  readonly account: string;
  readonly generation: string;
  /** Address of the submitting key. */
  readonly key: string;
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
  const { id: job, account, generation, key, ask, assets, candidates, createdAt, deadlineAt } = submittedOf(state);
  const input = { job, account, generation, key, ask, assets, candidates, createdAt, deadlineAt } satisfies RenderInput;
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

function awaitRetry(state: VideoJobState, event: RenderFailed): VideoJobState {
  const { attempt, failure } = event;
  const waits = { until: retryAt(event), why: `${failure.code}: ${failure.message}` };
  return { ...state, run: attempt + 1, waits };
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

/** A failure of the service that a repetition may overcome before the deadline. */
function isRepeatable(state: VideoJobState, event: RenderFailed): boolean {
  return event.failure.retriable && retryAt(event) < submittedOf(state).deadlineAt;
}

function isLate(state: VideoJobState, { failure, at }: RenderFailed): boolean {
  return failure.retriable && at >= submittedOf(state).deadlineAt;
}

/** A provider that can abort a render reports one of a job that has ended. */
function isLeftRunning(state: VideoJobState, { run, remote }: RenderSubmitted): boolean {
  const { candidates } = submittedOf(state);
  return state.remote === null && run <= state.run && candidates[remote.candidate]?.cancellable === true;
}

/** True if the provider that has accepted the render can abort it. */
function isAbortable(state: VideoJobState): boolean {
  const { candidates } = submittedOf(state);
  return state.remote !== null && candidates[state.remote.candidate]?.cancellable === true;
}

/** The run begins that follows a failed or lost one. */
function followRun(run: number) {
  return { run, waits: null };
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
};

export const actions = {
  markProcessed: assignOn('*', (_: VideoJobState) => ({ processed: true })),
  answerBegun: emitOn('*', answerBegun),
  followRun: assignOn('render.attempt', (_: VideoJobState, { attempt }: RenderAttempt) => followRun(attempt)),
  resumeRender: assignOn('render.retry', (_: VideoJobState, { repeats }: RenderRetry) =>
    followRun(repeats.attempt + 1),
  ),
  keepRemote: assignOn('render.submitted', (_: VideoJobState, { remote }: RenderSubmitted) => ({ remote })),
  dropRemote: assignOn('*', (_: VideoJobState) => ({ remote: null })),
  /** The next candidate is tried: the render of the one before is given up. */
  moveOn: assignOn('render.moved', (_: VideoJobState, { candidate }: RenderMoved) => ({ candidate, remote: null })),
  refuseStale: emitOn('*', refuseStale),
  answerStale: emitOn('*', answerStale),
  scheduleRetry: emitOn(['render.failed', 'abort.failed'], scheduleRetry),
  awaitRetry: assignOn('render.failed', awaitRetry),
  repeatRender: emitOn('render.retry', repeatRender),
  cutRender: emitOn('*', cutRender),
  cutAbort: emitOn('*', cutAbort),
  abortRender: emitOn('*', performAbort),
  repeatAbort: emitOn('abort.retry', repeatAbort),
};

export type RenderEvent =
  | RenderBegin
  | RenderSubmitted
  | RenderMoved
  | RenderFailed
  | RenderAttempt
  | RenderRetry
  | AbortFailed
  | AbortRetry
  | (Stamped & { readonly type: 'abort.attempt' });
