/**
 * What a batch was submitted with, and its stored state: that, counters and the lines in flight, at most 8. The lines
 * themselves are rows.
 */
import type { Json, SealedBlob } from '../runtime/index.ts';
import type { ErrorType } from '../terms/refusal.ts';
import type { BatchEndpoint } from './batch-record.ts';
import type { NewLine, UnsentType } from './line-record.ts';

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
  /** The longest run of one run of a line, the wait for its turn on the node included. */
  readonly lineMs: number;
}

/** What was submitted, without the lines, which are rows. */
export interface Submitted extends Omit<NewBatch, 'windowMs' | 'lines' | 'idempotency'> {
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly bounds: BatchBounds;
}

/** A line that has a slot. */
export interface LineInFlight {
  readonly index: number;
  /** The current run, from 1; of a waiting line the next one. */
  readonly run: number;
  /** Present while the line waits for its next run: until when, and why the last one failed. */
  readonly waits?: { readonly until: number; readonly why: string };
}

export interface BatchState {
  readonly address: string;
  /** Null only during the step that creates the batch. */
  readonly submitted: Submitted | null;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** Lines that were neither refused nor sent. */
  readonly unsent: number;
  /** The first line that may be unsent. */
  readonly next: number;
  readonly inFlight: readonly LineInFlight[];
  /** Upper bound of the bytes of all outcomes in the results file. */
  readonly resultBytes: number;
  /** What lines without an outcome are listed as; null while they may still be sent. */
  readonly unsentAs: UnsentType | null;
  /** Failed lines by type, for operators. */
  readonly failures: Readonly<Record<string, number>>;
  readonly finalizedAt: number | null;
  readonly resultsFileId: string | null;
  readonly error: { readonly code: ErrorType; readonly message: string } | null;
}

export function emptyBatch(address: string): BatchState {
  return {
    address,
    submitted: null,
    total: 0,
    completed: 0,
    failed: 0,
    unsent: 0,
    next: 0,
    inFlight: [],
    resultBytes: 0,
    unsentAs: null,
    failures: {},
    finalizedAt: null,
    resultsFileId: null,
    error: null,
  };
}

export function submittedOf({ submitted }: BatchState): Submitted {
  if (submitted === null) throw new Error('the batch is used before it is submitted');
  return submitted;
}
