/** How a video job ends: its result, its money, and the timers that end with it. Pure. */
import { assignOn, type Effect, emitOn, guardOn, type SealedBlob, type Stamped } from '../runtime/index.ts';
import { type OperatorCancel, recordCancel } from '../terms/audit.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { AttemptRecord, Release, Settlement } from '../terms/hold.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { DEADLINE, HOLD_ATTEMPT, REFUSE, submittedOf, toAccount, type VideoJobState, windowEndsAt } from './job.ts';
import { errorOf, type JobError, type JobUsage } from './job-record.ts';

/** A clip as it was delivered and measured. Seconds and frames per second are exact decimal text. */
export interface RenderedClip {
  readonly blob: SealedBlob;
  readonly durationSeconds: string;
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  readonly fps: string;
  readonly bytes: number;
  readonly audio: boolean;
}

/**
 * What a finished run resolves with. The settlement is committed with the outcome; its `cost` is '0' and
 * `unpriced` names `video_second` where the rate is undeclared. `videoSeconds` is the sum of the clips.
 */
export type RenderResult =
  | { readonly outcome: 'completed'; readonly clips: readonly RenderedClip[]; readonly settlement: Settlement }
  /** `settlement`: rendered and charged, but the result could not be stored; with `fault` only. */
  | {
      readonly outcome: 'failed';
      readonly error: JobError;
      readonly fault: 'marketplace' | null;
      readonly settlement: Settlement | null;
      /** At most `ATTEMPTS_MAX`, in order; absent where the settlement has them. */
      readonly attempts?: readonly AttemptRecord[];
    };

/** Calls to providers that are recorded with a job: its last ones. */
export const ATTEMPTS_MAX = 16;

/** The calls to providers that a result names. */
function attemptsOf(result: RenderResult): readonly AttemptRecord[] {
  return result.settlement?.attempts ?? (result.outcome === 'failed' ? result.attempts : undefined) ?? [];
}

export type RenderDone = Stamped & { readonly type: 'render.done'; readonly result: RenderResult };

/** The account refused the charge, so the clips are not delivered either. */
type RenderDoneRefused = Stamped & { readonly type: 'render.done.refused'; readonly result: RenderResult };

/** What the activity `abort` resolves with: the charge of what the provider reports, or null. */
export type AbortResult = { readonly settlement: Settlement | null };

export type AbortDone = Stamped & { readonly type: 'abort.done'; readonly result: AbortResult };

type AbortDoneRefused = Stamped & { readonly type: 'abort.done.refused'; readonly result: AbortResult };

/** Nothing is rendered any more. What the caller wrote is not kept for the retention of the job. */
function over(state: VideoJobState, at: number): VideoJobState {
  const { ask, candidates, hold, ...rest } = submittedOf(state);
  const submitted = {
    ...rest,
    ask: { ...ask, prompt: null },
    candidates: candidates.map((candidate) => ({ ...candidate, options: null })),
    hold: { ...hold, metadata: null },
  };
  return { ...state, submitted, endedAt: at, remote: null, waits: null };
}

/** The end of a render that its runner reported. */
function end(state: VideoJobState, result: RenderResult, at: number): VideoJobState {
  const ended = over(state, at);
  const usage = result.settlement === null ? null : usageOf(result.settlement);
  if (result.outcome === 'failed') {
    const attempts = attemptsOf(result);
    const failed = { ...ended, usage, error: result.error, fault: result.fault };
    return attempts.length === 0 ? failed : { ...failed, attempts };
  }
  const clipSeconds = result.clips.map(({ durationSeconds }) => durationSeconds);
  return { ...ended, usage, clipSeconds, renderedAt: at };
}

function usageOf({ cost, unpriced, media }: NonNullable<RenderResult['settlement']>): JobUsage {
  return { cost: unpriced.length === 0 ? cost : null, videoSeconds: media?.videoSeconds ?? '0' };
}

/** The job ends without a render. */
function fail(state: VideoJobState, error: JobError, at: number): VideoJobState {
  return { ...over(state, at), error };
}

/** No endpoint can render the job. */
function failUnrenderable(state: VideoJobState, { at }: Stamped): VideoJobState {
  const { unrenderable } = submittedOf(state);
  if (unrenderable === null) throw new Error('the job has candidates');
  return fail(state, unrenderable, at);
}

/** Why a job fails for which no runner reports an outcome. */
const LATE = errorOf(504, 'timeout', 'The render did not end in time; nothing was charged');

const FAULTS = {
  unrendered: 'The service could not render this job: the nodes that ran it failed each time',
  uncharged: 'The charge of this render was refused, so its clips were not kept; nothing was charged',
} as const;

export type Fault = keyof typeof FAULTS;

/** The service itself failed. Nothing is charged. */
function failByService(state: VideoJobState, { at }: Stamped, { as }: { readonly as: Fault }): VideoJobState {
  return { ...fail(state, errorOf(500, 'server', FAULTS[as]), at), fault: 'marketplace' };
}

/** The charge is what the provider reports. */
function cancelCharged(state: VideoJobState, { result: { settlement }, at }: AbortDone): VideoJobState {
  const cancelled = over(state, at);
  return settlement === null ? cancelled : { ...cancelled, usage: usageOf(settlement) };
}

export type JobCancel = Stamped & OperatorCancel & { readonly type: 'job.cancel' };

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

const WINDOW = 'job.window';

const FORGET = 'job.forget';

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

const RENDERED = ['render.done'] as const;

export const guards = {
  isCompleted: guardOn(RENDERED, (_: VideoJobState, { result }: RenderDone) => result.outcome === 'completed'),
  isCharged: guardOn(RENDERED, (_: VideoJobState, { result }: RenderDone) => result.settlement !== null),
  isAbortCharged: guardOn('abort.done', (_: VideoJobState, { result }: AbortDone) => result.settlement !== null),
};

export const actions = {
  end: assignOn(RENDERED, (state: VideoJobState, { result, at }: RenderDone) => end(state, result, at)),
  failUnrenderable: assignOn('*', failUnrenderable),
  failLate: assignOn('*', (state: VideoJobState, { at }) => fail(state, LATE, at)),
  failByService: assignOn('*', failByService),
  cancel: assignOn('*', (state: VideoJobState, { at }) => over(state, at)),
  cancelCharged: assignOn('abort.done', cancelCharged),
  settle: emitOn(['render.done', 'abort.done'], settle),
  release: emitOn('*', (state: VideoJobState, _, { as }: { readonly as: ReleaseReason }) =>
    release(state, RELEASES[as]),
  ),
  releaseFailed: emitOn('*', releaseFailed),
  recordCancel: emitOn('job.cancel', (state: VideoJobState, event: JobCancel) =>
    recordCancel(state.address, 'video.cancel', event),
  ),
  refuseCancel: emitOn('*', refuseCancel),
  endJob: emitOn('*', endJob),
  openWindow: emitOn('*', openWindow),
  forget: emitOn('*', forget),
};

export type OutcomeEvent = RenderDone | RenderDoneRefused | AbortDone | AbortDoneRefused;
