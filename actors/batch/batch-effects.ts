/** The effects of a batch as a whole: its rows, its answers, its place in the queue, its results. Pure. */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { putFeedEvent } from '../terms/feed-event.ts';
import { accountAddress, fileAddress } from '../terms/ids.ts';
import type { Refusal } from '../terms/refusal.ts';
import type { BatchRecord, BatchStatus } from './batch-record.ts';
import { type BatchState, fail, finalize, refusedOutcome, submit, submittedOf, wanted } from './batch-state.ts';
import type { BatchSubmit, ResultsDone, ResultsFailed, ResultsRetry } from './events.ts';
import { lineName } from './line-effects.ts';
import type { LineRecord, UnsentType } from './line-record.ts';

export const RESULTS_ACTIVITY = 'results';
const RESULTS = 'results';
const EXPIRE = 'batch.expire';
const FORGET = 'batch.forget';
const RESULTS_RETRY = 'results.retry';
/** The longest run of one attempt to write the results. */
const RESULTS_MS = 10 * 60_000;
const RESULTS_BACK_OFF_MS_MIN = 1_000;
const RESULTS_BACK_OFF_MS_MAX = 60_000;

/** Input of the activity that writes the results. */
export interface ResultsInput {
  readonly batch: string;
  readonly account: string;
  /** How lines without an outcome are listed. */
  readonly unsentAs: UnsentType | null;
}

export function recordOf(state: BatchState, status: BatchStatus): BatchRecord {
  const { id, account, key, endpoint, model, createdAt, expiresAt, bodies } = submittedOf(state);
  const { total, completed, failed, finalizedAt, resultsFileId, error } = state;
  return {
    ...{ id, account, key, endpoint, model, completionWindow: '24h', status, createdAt, expiresAt, finalizedAt },
    counts: { total, completed, failed },
    ...{ resultsFileId, error },
    bodies: finalizedAt === null ? bodies : null,
  };
}

/** The status that a batch is shown with. */
interface Shown {
  readonly status: BatchStatus;
}

/** The row, and the change for the account's feed of events. */
export function putBatch(state: BatchState, { at }: Pick<Stamped, 'at'>, { status }: Shown): Effect[] {
  const record = recordOf(state, status);
  const { id, account } = record;
  return [
    { type: 'put', collection: 'batch', id, body: plain(record) },
    putFeedEvent({ id, account, type: 'batch.updated', at, object: { ...record, bodies: null } }),
  ];
}

export function answerBatch(state: BatchState, _: unknown, { status }: Shown): Effect {
  return { type: 'reply', body: plain(recordOf(state, status)) };
}

/** The rows of all lines, and the place in the account's queue: the account refuses an eleventh batch. */
function recordSubmission(state: BatchState, { batch }: BatchSubmit): Effect[] {
  const { id, account, expiresAt } = submittedOf(state);
  const { idempotency } = batch;
  const rows = batch.lines.map((line, index): Effect => {
    const body = 'refused' in line ? null : { offset: line.offset, length: line.length };
    const row: LineRecord = { index, customId: line.customId, body, outcome: refusedOutcome(line) };
    return { type: 'put', collection: 'line', id: lineName(index), body: plain(row) };
  });
  const join = { type: 'queue.join', batch: id, wants: wanted(state) };
  return [
    ...rows,
    { type: 'schedule', name: EXPIRE, at: expiresAt, event: { type: EXPIRE } },
    {
      type: 'send',
      to: accountAddress(account),
      event: idempotency === undefined ? join : { ...join, idempotency: plain(idempotency) },
    },
  ];
}

function performResults(state: BatchState, { at }: Pick<Stamped, 'at'>): Effect & { readonly type: 'perform' } {
  const { id: batch, account } = submittedOf(state);
  const input = plain({ batch, account, unsentAs: state.unsentAs } satisfies ResultsInput);
  return { type: 'perform', name: RESULTS_ACTIVITY, id: RESULTS, input, deadlineAt: at + RESULTS_MS };
}

function scheduleResults(_: BatchState, { key, attempt, failure, at }: ResultsFailed): Effect {
  const repeats = { key, attempt, failure: { code: failure.code, message: failure.message } };
  const backOff = Math.min(RESULTS_BACK_OFF_MS_MAX, RESULTS_BACK_OFF_MS_MIN * 2 ** Math.min(attempt - 1, 10));
  return { type: 'schedule', name: RESULTS_RETRY, at: at + backOff, event: { type: RESULTS_RETRY, repeats } };
}

function repeatResults(state: BatchState, event: ResultsRetry): Effect {
  return { ...performResults(state, event), repeats: event.repeats };
}

/**
 * The end: the results become a file of the account, lines and bodies go, the place in the queue is free. The bytes are
 * counted in the account's storage and never refused, since the batch was accepted.
 */
export function endBatch(state: BatchState, { result, at }: ResultsDone): Effect[] {
  const { id, account, bounds } = submittedOf(state);
  const file = {
    ...{ id: result.id, account, filename: `${id}_results.jsonl`, bytes: result.blob.bytes },
    ...{ mimeType: 'application/jsonl', purpose: 'batch_output', blob: plain(result.blob) },
  };
  const { resultsLifetimeMs: lifetimeMs, retentionMs } = bounds;
  const store = { type: 'file.store', file, lifetimeMs, accountBytesMax: Number.MAX_SAFE_INTEGER };
  const lines = Array.from({ length: state.total }, (_, index): Effect => {
    return { type: 'remove', collection: 'line', id: lineName(index) };
  });
  return [
    ...lines,
    { type: 'cancel', name: EXPIRE },
    { type: 'schedule', name: FORGET, at: at + retentionMs, event: { type: FORGET } },
    { type: 'send', to: fileAddress(account, result.id), event: store },
    { type: 'send', to: accountAddress(account), event: { type: 'queue.leave', batch: id } },
  ];
}

/** Neither list nor look-up shows the batch from now on. */
function forget(state: BatchState): Effect[] {
  return [{ type: 'remove', collection: 'batch', id: submittedOf(state).id }, { type: 'stop' }];
}

/** A grant that arrives when nothing more may be sent is returned. */
function returnSlots(state: BatchState): Effect {
  const { id, account } = submittedOf(state);
  const event = { type: 'slot.update', batch: id, slots: state.inFlight.length, wants: 0 };
  return { type: 'send', to: accountAddress(account), event };
}

/** A batch that has ended otherwise cannot be cancelled. */
export type UncancellableStatus = 'completed' | 'failed' | 'expired';

function refuseCancel(_: BatchState, _event: unknown, { status }: { readonly status: UncancellableStatus }): Effect {
  const message = `This batch has ended: it is ${status}`;
  return { type: 'reply', body: plain({ refusal: { status: 409, type: 'conflict', message } satisfies Refusal }) };
}

export const guards = {
  isNew: guardOn('*', ({ submitted }: BatchState) => submitted === null),
  isNewButRefused: guardOn(
    'batch.submit',
    ({ submitted }: BatchState, { batch }: BatchSubmit) =>
      submitted === null && batch.lines.every((line) => 'refused' in line),
  ),
};

export const actions = {
  submit: assignOn('batch.submit', submit),
  fail: assignOn('*', fail),
  recordSubmission: emitOn('batch.submit', recordSubmission),
  returnSlots: emitOn('*', returnSlots),
  writeResults: emitOn('*', performResults),
  scheduleResults: emitOn('results.failed', scheduleResults),
  repeatResults: emitOn('results.retry', repeatResults),
  finalize: assignOn('results.done', (state: BatchState, { result, at }: ResultsDone) => finalize(state, at, result)),
  endBatch: emitOn('results.done', endBatch),
  forget: emitOn('*', forget),
  put: emitOn('*', putBatch),
  answer: emitOn('*', answerBatch),
  refuseCancel: emitOn('*', refuseCancel),
};
