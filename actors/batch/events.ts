/** The events of a batch as its chart receives them. */
import type { Json, Repeats, SealedBlob, Stamped } from '../runtime/index.ts';
import type { Settlement } from '../terms/hold.ts';
import type { BatchEndpoint } from './batch-record.ts';
import type { LineOutcome, NewLine } from './line-record.ts';

export interface NewBatch {
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
  /** Workspace of the key at the submission, null for the default one. */
  readonly workspace: string | null;
  readonly endpoint: BatchEndpoint;
  /** Model of bodies that name none. */
  readonly model: string | null;
  /** Preferences of bodies that state none; null without. */
  readonly provider: Json;
  /** The attribution of every line, as `readAttribution` gives it. */
  readonly attribution: Json;
  readonly windowMs: number;
  /** All bodies; null when every body was refused. */
  readonly bodies: SealedBlob | null;
  readonly lines: readonly NewLine[];
  /** Digests of an `Idempotency-Key` and of the submission that came with it. */
  readonly idempotency?: { readonly key: string; readonly body: string };
}

/** Bounds of a batch, fixed at its submission. Times in ms. */
export interface BatchBounds {
  /** Size of the results file, and how long it can be read. */
  readonly resultsBytesMax: number;
  readonly resultsLifetimeMs: number;
  /** How long an ended batch is shown. */
  readonly retentionMs: number;
  /** The longest run of one attempt of a line, the wait for its turn on the node included. */
  readonly lineMs: number;
}

export type BatchSubmit = Stamped & {
  readonly type: 'batch.submit';
  readonly batch: NewBatch;
  readonly bounds: BatchBounds;
};

/** From the account: so many further lines may be sent. Never more than the batch asked for. */
export type SlotGrant = Stamped & { readonly type: 'slot.grant'; readonly count: number };

/** What a finished attempt of a line resolves with. */
export type LineResult = {
  readonly outcome: LineOutcome;
  /** The charge, committed with the outcome; null without one. */
  readonly settlement: Settlement | null;
};

export type LineDone = Stamped & { readonly type: 'line.done'; readonly id: string; readonly result: LineResult };
/** The account refused the charge, so the reply is not delivered either. */
export type LineDoneRefused = Stamped & {
  readonly type: 'line.done.refused';
  readonly id: string;
  readonly result: LineResult;
};
export type LineFailed = Stamped & {
  readonly type: 'line.failed';
  readonly id: string;
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};
/** The runner died; the next attempt begins. */
export type LineAttempt = Stamped & { readonly type: 'line.attempt'; readonly id: string; readonly attempt: number };
/** Timer: a failed attempt is repeated. */
export type LineRetry = Stamped & { readonly type: 'line.retry'; readonly id: string; readonly repeats: Repeats };

/** The written results file. */
export type WrittenResults = {
  readonly id: string;
  readonly blob: SealedBlob;
  /** Lines with a charge whose reply could not be opened; they are written as errors. */
  readonly lost: number;
};
export type ResultsDone = Stamped & { readonly type: 'results.done'; readonly result: WrittenResults };
export type ResultsFailed = Stamped & {
  readonly type: 'results.failed';
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};
export type ResultsRetry = Stamped & { readonly type: 'results.retry'; readonly repeats: Repeats };

export type BatchEvent =
  | BatchSubmit
  | SlotGrant
  | LineDone
  | LineDoneRefused
  | LineFailed
  | LineAttempt
  | LineRetry
  | ResultsDone
  | ResultsFailed
  | ResultsRetry
  | (Stamped & { readonly type: 'batch.cancel' })
  /** Timers: the completion window closes; an ended batch is no longer shown. */
  | (Stamped & { readonly type: 'batch.expire' })
  | (Stamped & { readonly type: 'batch.forget' })
  | (Stamped & { readonly type: 'results.attempt' });
