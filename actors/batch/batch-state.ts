/**
 * The stored state of a batch: what was submitted, counters and the lines in flight, at most 8. The lines themselves
 * are rows. Every function is pure and returns the next state.
 */
import type { RowView } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';
import type { ErrorType } from '../terms/refusal.ts';
import type { BatchBounds, BatchSubmit, NewBatch } from './events.ts';
import {
  failedOutcome,
  LINE_BYTES_MAX,
  type LineOutcome,
  type LineRecord,
  type NewLine,
  UNSENT_LINE_BYTES_MAX,
  type UnsentType,
} from './line-record.ts';

/** Lines of an account in flight over all nodes. (rule B15) */
export const IN_FLIGHT_MAX = 8;

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
  /** The current attempt; of a waiting line the next one. */
  readonly attempt: number;
  /** Present while the line waits for its next attempt: until when, and why the last one failed. */
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
    ...{ total: 0, completed: 0, failed: 0, unsent: 0, next: 0, resultBytes: 0 },
    inFlight: [],
    unsentAs: null,
    failures: {},
    ...{ finalizedAt: null, resultsFileId: null, error: null },
  };
}

export function submittedOf({ submitted }: BatchState): Submitted {
  if (submitted === null) throw new Error('the batch is used before it is submitted');
  return submitted;
}

export function submit(state: BatchState, { batch, bounds }: BatchSubmit): BatchState {
  const { windowMs, lines, idempotency: _, ...submitted } = batch;
  const { id } = submitted;
  const createdAt = timeOfId(id);
  const expiresAt = createdAt + windowMs;
  const outcomes = lines.flatMap((line) => refusedOutcome(line) ?? []);
  const next = {
    ...state,
    submitted: { ...submitted, createdAt, expiresAt, bounds },
    total: lines.length,
    unsent: lines.length - outcomes.length,
  };
  return outcomes.reduce(counted, next);
}

/** The outcome of a body that was refused at the submission; null for any other line. */
export function refusedOutcome(line: NewLine): LineOutcome | null {
  return 'refused' in line ? failedOutcome(line.customId, line.refused, null) : null;
}

/** Every body was refused: the batch fails as a whole. */
export function fail(state: BatchState): BatchState {
  const message = 'No request of this batch can run: every body failed its validation; the results list the reasons';
  return { ...state, error: { code: 'invalid_request', message } };
}

/** Lines that could be sent now beside those in flight: by number, by slots, and by the room of the results file. */
export function wanted(state: BatchState): number {
  if (state.unsentAs !== null) return 0;
  const { unsent, inFlight, resultBytes } = state;
  const { resultsBytesMax } = submittedOf(state).bounds;
  const left = resultsBytesMax - resultBytes - unsent * UNSENT_LINE_BYTES_MAX;
  const byRoom = Math.floor(left / LINE_BYTES_MAX);
  return Math.max(0, Math.min(unsent, IN_FLIGHT_MAX - inFlight.length, byRoom - inFlight.length));
}

/** The unsent lines among the first open ones, as many as were granted. */
export function linesToSend({ next }: BatchState, rows: readonly RowView[], count: number): readonly LineRecord[] {
  const open = rows.map(({ body }) => body as unknown as LineRecord);
  return open.filter(({ index }) => index >= next).slice(0, count);
}

export function send(state: BatchState, lines: readonly LineRecord[]): BatchState {
  const sent = lines.map(({ index }) => ({ index, attempt: 1 }));
  const last = lines.at(-1);
  return {
    ...state,
    next: last === undefined ? state.next : last.index + 1,
    unsent: state.unsent - lines.length,
    inFlight: [...state.inFlight, ...sent],
  };
}

export function inFlight(state: BatchState, index: number): LineInFlight | null {
  return state.inFlight.find((line) => line.index === index) ?? null;
}

/** Frees the slot of a line. */
export function without(state: BatchState, index: number): BatchState {
  return { ...state, inFlight: state.inFlight.filter((line) => line.index !== index) };
}

/** Replaces the entry of a line in flight. */
export function withLine(state: BatchState, line: LineInFlight): BatchState {
  return { ...state, inFlight: state.inFlight.map((other) => (other.index === line.index ? line : other)) };
}

/** Counts an outcome. */
export function counted(state: BatchState, outcome: LineOutcome): BatchState {
  const resultBytes = state.resultBytes + outcome.bytes;
  if ('reply' in outcome) return { ...state, resultBytes, completed: state.completed + 1 };
  const { type } = outcome.error;
  const failures = { ...state.failures, [type]: (state.failures[type] ?? 0) + 1 };
  return { ...state, resultBytes, failed: state.failed + 1, failures };
}

/** Nothing more is sent; lines without an outcome are listed as `type`. Only those without room count as failed. */
export function stopSending(state: BatchState, type: UnsentType): BatchState {
  if (state.unsentAs === 'results_full') return state;
  const stopped = { ...state, unsentAs: type };
  if (type !== 'results_full') return stopped;
  const { unsent, failed, failures } = state;
  return { ...stopped, failed: failed + unsent, failures: { ...failures, [type]: unsent } };
}

/** Drops lines in flight without an outcome: all of them, or those that wait for their next attempt. */
export function drop(state: BatchState, lines: readonly LineInFlight[]): BatchState {
  return { ...state, inFlight: state.inFlight.filter((line) => !lines.includes(line)) };
}

export function waitingLines(state: BatchState): readonly LineInFlight[] {
  return state.inFlight.filter(({ waits }) => waits !== undefined);
}

/** The batch has ended with its results file. */
export function finalize(
  state: BatchState,
  at: number,
  file: { readonly id: string; readonly lost: number },
): BatchState {
  const { completed, failed } = state;
  return {
    ...state,
    ...{ finalizedAt: at, resultsFileId: file.id },
    ...{ completed: completed - file.lost, failed: failed + file.lost },
  };
}
