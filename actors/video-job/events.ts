/** The events of a video job as its chart receives them. */
import type { Repeats, SealedBlob, Stamped } from '../runtime/index.ts';
import type { AttemptRecord, HoldRequest, Settlement } from '../terms/hold.ts';
import type { RenderedClip } from './clip-record.ts';
import type { JobError } from './job-record.ts';
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

export type JobSubmit = Stamped & {
  readonly type: 'job.submit';
  readonly job: NewVideoJob;
  readonly bounds: VideoBounds;
};

/** From the runner of this run, before it calls a provider; answered with `BegunRender`. */
export type RenderBegin = Stamped & { readonly type: 'render.begin'; readonly run: number };
/** From the runner: a provider has accepted the render. */
export type RenderSubmitted = Stamped & {
  readonly type: 'render.submitted';
  readonly run: number;
  readonly remote: RemoteRender;
};
/** From the runner: the candidate failed without a charge, and `candidate` is tried next. */
export type RenderMoved = Stamped & {
  readonly type: 'render.moved';
  readonly run: number;
  readonly candidate: number;
};

/** Where a runner continues: polls `remote`, else renders with `candidate`. */
export interface BegunRender {
  readonly candidate: number;
  readonly remote: RemoteRender | null;
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
export function attemptsOf(result: RenderResult): readonly AttemptRecord[] {
  return result.settlement?.attempts ?? (result.outcome === 'failed' ? result.attempts : undefined) ?? [];
}

export type RenderDone = Stamped & { readonly type: 'render.done'; readonly result: RenderResult };
/** The account refused the charge, so the clips are not delivered either. */
export type RenderDoneRefused = Stamped & { readonly type: 'render.done.refused'; readonly result: RenderResult };

interface Failed {
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
}
/** A failure of the service; the failure of a provider is a `RenderResult`. */
export type RenderFailed = Stamped & Failed & { readonly type: 'render.failed' };
/** The runner died; the next run begins. `attempt` is its number, in the runtime's word. */
export type RenderAttempt = Stamped & { readonly type: 'render.attempt'; readonly attempt: number };
/** Timer: a failed run is repeated. */
export type RenderRetry = Stamped & { readonly type: 'render.retry'; readonly repeats: Repeats };

/** What the activity `abort` resolves with: the charge of what the provider reports, or null. */
export type AbortResult = { readonly settlement: Settlement | null };
export type AbortDone = Stamped & { readonly type: 'abort.done'; readonly result: AbortResult };
export type AbortDoneRefused = Stamped & { readonly type: 'abort.done.refused'; readonly result: AbortResult };
export type AbortFailed = Stamped & Failed & { readonly type: 'abort.failed' };
export type AbortRetry = Stamped & { readonly type: 'abort.retry'; readonly repeats: Repeats };

/** Reads whether a clip can be downloaded, and what it is, without a download. */
export type ClipShow = Stamped & { readonly type: 'clip.show'; readonly index: number };
/** A download begins. `reader` is its natural id; `node` the incarnation that serves it. */
export type ClipOpen = Stamped & {
  readonly type: 'clip.open';
  readonly index: number;
  readonly reader: string;
  readonly node: string;
};
/** A download has ended. `delivered`: it was written from the first byte through the last. */
export type ClipClose = Stamped & {
  readonly type: 'clip.close';
  readonly index: number;
  readonly reader: string;
  readonly delivered: boolean;
};
/** Timer: a delivered clip expires. */
export type ClipExpire = Stamped & { readonly type: 'clip.expire'; readonly index: number };
/** Timer: a download has not reported its end. */
export type ReaderExpire = Stamped & { readonly type: 'reader.expire'; readonly reader: string };
/** The node that serves downloads is dead. */
export type ReaderLost = Stamped & { readonly type: 'reader.lost'; readonly incarnation: string };

/** The activity `removal` removes the bytes of a clip that no row refers to any more; `id` is the blob. */
export type RemovalFailed = Stamped & Failed & { readonly type: 'removal.failed'; readonly id: string };
export type RemovalRetry = Stamped & { readonly type: 'removal.retry'; readonly id: string; readonly repeats: Repeats };

export type VideoJobEvent =
  | JobSubmit
  | RenderBegin
  | RenderSubmitted
  | RenderMoved
  | RenderDone
  | RenderDoneRefused
  | RenderFailed
  | RenderAttempt
  | RenderRetry
  | AbortDone
  | AbortDoneRefused
  | AbortFailed
  | AbortRetry
  | ClipShow
  | ClipOpen
  | ClipClose
  | ClipExpire
  | ReaderExpire
  | ReaderLost
  | RemovalFailed
  | RemovalRetry
  | (Stamped & { readonly type: 'job.cancel' })
  /** Timers: a job that no endpoint can render fails; no render may end after this; the window of the clips closes; an
   * ended job is no longer shown. */
  | (Stamped & { readonly type: 'job.refuse' })
  | (Stamped & { readonly type: 'job.deadline' })
  | (Stamped & { readonly type: 'job.window' })
  | (Stamped & { readonly type: 'job.forget' })
  | (Stamped & { readonly type: 'abort.attempt' })
  | (Stamped & { readonly type: 'removal.done' })
  | (Stamped & { readonly type: 'removal.attempt' });
