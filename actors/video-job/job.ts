/**
 * The stored state of a video job: what was submitted, how far its render is, and how it ended. Clips and downloads are
 * rows.
 */
import type { ActorEvent, Effect, SealedBlob } from '../runtime/index.ts';
import type { AttemptRecord, HoldRequest } from '../terms/hold.ts';
import { accountAddress } from '../terms/ids.ts';
import type { JobError, JobUsage } from './job-record.ts';
import type { FrozenCandidate, RemoteRender, RenderAsk } from './render-ask.ts';

/** What the submitter knows of the hold; the job adds the rest. */
export type NewHold = Pick<
  HoldRequest,
  | 'amount'
  | 'endpoint'
  | 'provider'
  | 'tariff'
  | 'appTitle'
  | 'appUrl'
  | 'user'
  | 'sessionId'
  | 'metadata'
  | 'route'
  | 'streamed'
>;

export interface NewVideoJob {
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
  readonly generation: string;
  readonly model: string;
  readonly ask: RenderAsk;
  /** All assets; null without. */
  readonly assets: SealedBlob | null;
  /** In the order in which they are tried: 1 to `CANDIDATES_MAX`; none for a job that no endpoint can render. */
  readonly candidates: readonly FrozenCandidate[];
  /** Why no endpoint can render the job: it fails with this error, and no provider is called. */
  readonly unrenderable: JobError | null;
  /** The amount is the largest bound of the candidates; '0' without any. */
  readonly hold: NewHold;
  readonly callbackUrl: string | null;
  /** Digests of an `Idempotency-Key` and of the submission that came with it. */
  readonly idempotency?: { readonly key: string; readonly body: string };
}

/** Bounds of a job, fixed at its submission. Times in ms. */
export interface VideoBounds {
  /** From the submission to the last moment at which its render may end. */
  readonly jobMs: number;
  /** The hold lives so much longer than the job. */
  readonly holdSlackMs: number;
  /** From the end of the render: how long an undelivered clip can be read. */
  readonly windowMs: number;
  /** From the first delivery of a clip: how long it can still be read. */
  readonly deliveredMs: number;
  /** The longest download, and the downloads of one job at once. */
  readonly downloadMs: number;
  readonly downloadsMax: number;
  /** How long an ended job is shown. */
  readonly retentionMs: number;
}

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
    address,
    submitted: null,
    run: 1,
    candidate: 0,
    remote: null,
    waits: null,
    processed: false,
    renderedAt: null,
    endedAt: null,
    clipSeconds: null,
    usage: null,
    error: null,
    fault: null,
    fetched: false,
  };
}

export function submittedOf({ submitted }: VideoJobState): SubmittedJob {
  if (submitted === null) throw new Error('the video job is used before it is submitted');
  return submitted;
}

/** A job holds once, for all its attempts to render. */
export const HOLD_ATTEMPT = 1;

export const DEADLINE = 'job.deadline';

export const REFUSE = 'job.refuse';

export function toAccount(state: VideoJobState, event: ActorEvent): Effect {
  return { type: 'send', to: accountAddress(submittedOf(state).account), event };
}

/** When no clip can be read any more, whatever was delivered. */
export function windowEndsAt(state: VideoJobState): number {
  return (state.renderedAt ?? 0) + submittedOf(state).bounds.windowMs;
}

export interface Failed {
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
}

const BACK_OFF_MS_MIN = 1_000;

const BACK_OFF_MS_MAX = 60_000;

/** When a failed run of any activity is repeated. */
export function retryAt({ attempt, at }: { readonly attempt: number; readonly at: number }): number {
  return at + Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(attempt - 1, 10));
}
