/**
 * The stored state of a video job: what was submitted, how far its render is, and how it ended. Clips and downloads are
 * rows. Every function is pure and returns the next state.
 */
import type { AttemptRecord } from '../terms/hold.ts';
import { timeOfId } from '../terms/ids.ts';
import type { ErrorType } from '../terms/refusal.ts';
import {
  attemptsOf,
  type JobSubmit,
  type NewVideoJob,
  type RenderFailed,
  type RenderResult,
  type RenderSubmitted,
  type VideoBounds,
} from './events.ts';
import type { JobError, JobUsage } from './job-record.ts';
import type { RemoteRender } from './render-ask.ts';

export interface SubmittedJob extends Omit<NewVideoJob, 'idempotency'> {
  /** Store times, ms. `deadlineAt`: no render may end after it. */
  readonly createdAt: number;
  readonly deadlineAt: number;
  readonly bounds: VideoBounds;
}

export interface VideoJobState {
  readonly address: string;
  /** Null only during the step that creates the job. */
  readonly submitted: SubmittedJob | null;
  /** The current run of the render, from 1; while it waits for its repetition, the next one. */
  readonly run: number;
  /** Position of the candidate that renders, or is tried next. */
  readonly candidate: number;
  /** The render as the provider knows it; null where none has accepted it, or none is asked any more. */
  readonly remote: RemoteRender | null;
  /** Present while a failed run waits to be repeated: until when, and why it failed. */
  readonly waits: { readonly until: number; readonly why: string } | null;
  readonly processed: boolean;
  readonly renderedAt: number | null;
  readonly endedAt: number | null;
  readonly clipSeconds: readonly string[] | null;
  readonly usage: JobUsage | null;
  readonly error: JobError | null;
  readonly fault: 'marketplace' | null;
  /** The calls to providers of a failed job; absent without any. */
  readonly attempts?: readonly AttemptRecord[];
  /** A download of a clip has begun: the job never expires. */
  readonly fetched: boolean;
}

export function emptyJob(address: string): VideoJobState {
  return {
    ...{ address, submitted: null, run: 1, candidate: 0, remote: null, waits: null, processed: false },
    ...{ renderedAt: null, endedAt: null, clipSeconds: null, usage: null, error: null, fault: null, fetched: false },
  };
}

export function submittedOf({ submitted }: VideoJobState): SubmittedJob {
  if (submitted === null) throw new Error('the video job is used before it is submitted');
  return submitted;
}

export function submit(state: VideoJobState, { job, bounds, at }: JobSubmit): VideoJobState {
  const { idempotency: _, ...kept } = job;
  return { ...state, submitted: { ...kept, createdAt: timeOfId(job.id), deadlineAt: at + bounds.jobMs, bounds } };
}

export function follow(state: VideoJobState, run: number): VideoJobState {
  return { ...state, run, waits: null };
}

export function withRemote(state: VideoJobState, remote: RemoteRender | null): VideoJobState {
  return { ...state, remote };
}

/** The next candidate is tried: the render of the one before is given up. */
export function moveTo(state: VideoJobState, candidate: number): VideoJobState {
  return { ...state, candidate, remote: null };
}

const BACK_OFF_MS_MIN = 1_000;
const BACK_OFF_MS_MAX = 60_000;

/** When a failed run of any activity is repeated. */
export function retryAt({ attempt, at }: { readonly attempt: number; readonly at: number }): number {
  return at + Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(attempt - 1, 10));
}

/** A failure of the service that a repetition may overcome before the deadline. */
export function isRepeatable(state: VideoJobState, event: RenderFailed): boolean {
  return event.failure.retriable && retryAt(event) < submittedOf(state).deadlineAt;
}

export function awaitRetry(state: VideoJobState, event: RenderFailed): VideoJobState {
  const { attempt, failure } = event;
  const waits = { until: retryAt(event), why: `${failure.code}: ${failure.message}` };
  return { ...state, run: attempt + 1, waits };
}

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
export function end(state: VideoJobState, result: RenderResult, at: number): VideoJobState {
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
export function fail(state: VideoJobState, error: JobError, at: number): VideoJobState {
  return { ...over(state, at), error };
}

/** No endpoint can render the job. */
export function failUnrenderable(state: VideoJobState, at: number): VideoJobState {
  const { unrenderable } = submittedOf(state);
  if (unrenderable === null) throw new Error('the job has candidates');
  return fail(state, unrenderable, at);
}

/** The service itself failed. Nothing is charged. */
export function failByService(state: VideoJobState, message: string, at: number): VideoJobState {
  return { ...fail(state, errorOf(500, 'server', message), at), fault: 'marketplace' };
}

export function errorOf(code: number, error_type: ErrorType, message: string): JobError {
  return { code, message, error_type };
}

export function cancel(state: VideoJobState, at: number): VideoJobState {
  return over(state, at);
}

/** As `cancel`, with the charge of what the provider reports. */
export function cancelCharged(state: VideoJobState, settlement: RenderResult['settlement'], at: number): VideoJobState {
  const cancelled = cancel(state, at);
  return settlement === null ? cancelled : { ...cancelled, usage: usageOf(settlement) };
}

/** A provider that can abort a render reports one of a job that has ended. */
export function isLeftRunning(state: VideoJobState, { run, remote }: RenderSubmitted): boolean {
  const { candidates } = submittedOf(state);
  return state.remote === null && run <= state.run && candidates[remote.candidate]?.cancellable === true;
}

/** True if the provider that has accepted the render can abort it. */
export function isAbortable(state: VideoJobState): boolean {
  const { candidates } = submittedOf(state);
  return state.remote !== null && candidates[state.remote.candidate]?.cancellable === true;
}

/** When no clip can be read any more, whatever was delivered. */
export function windowEndsAt(state: VideoJobState): number {
  return (state.renderedAt ?? 0) + submittedOf(state).bounds.windowMs;
}
