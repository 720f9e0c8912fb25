/** The results of a batch: an activity writes them, is repeated until it succeeds, and the batch ends with their file. */
import { assignOn, type Effect, emitOn, type Repeats, type SealedBlob, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { accountAddress, fileAddress } from '../terms/ids.ts';
import { type BatchState, submittedOf } from './batch-state.ts';
import type { UnsentType } from './line-record.ts';
import { lineName } from './lines.ts';
import { WINDOW_TIMER } from './submission.ts';

/** The name of the activity and of its only instance. */
const RESULTS = 'results';
const FORGET = 'batch.forget';
const RESULTS_RETRY = 'results.retry';
/** The longest run of one attempt to write the results. */
const RESULTS_MS = 10 * 60_000;
const BACK_OFF_MS_MIN = 1_000;
const BACK_OFF_MS_MAX = 60_000;

/** Input of the activity that writes the results. */
export interface ResultsInput {
  readonly batch: string;
  readonly account: string;
  /** How lines without an outcome are listed. */
  readonly unsentAs: UnsentType | null;
}

/** The written results file. */
export type WrittenResults = {
  readonly id: string;
  readonly blob: SealedBlob;
  /** Lines with a charge whose reply could not be opened; they are written as errors. */
  readonly lost: number;
};
export type ResultsDone = Stamped & { readonly type: 'results.done'; readonly result: WrittenResults };
type ResultsFailed = Stamped & {
  readonly type: 'results.failed';
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};
type ResultsRetry = Stamped & { readonly type: 'results.retry'; readonly repeats: Repeats };
export type ResultsEvent =
  | ResultsDone
  | ResultsFailed
  | ResultsRetry
  | (Stamped & { readonly type: 'results.attempt' })
  /** Timer: an ended batch is no longer shown. */
  | (Stamped & { readonly type: 'batch.forget' });

function performResults(state: BatchState, { at }: Pick<Stamped, 'at'>): Effect & { readonly type: 'perform' } {
  const { id: batch, account } = submittedOf(state);
  const input = plain({ batch, account, unsentAs: state.unsentAs } satisfies ResultsInput);
  return { type: 'perform', name: RESULTS, id: RESULTS, input, deadlineAt: at + RESULTS_MS };
}

function scheduleResults(_: BatchState, { key, attempt, failure, at }: ResultsFailed): Effect {
  const repeats = { key, attempt, failure: { code: failure.code, message: failure.message } };
  const backOff = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(attempt - 1, 10));
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
    id: result.id,
    account,
    filename: `${id}_results.jsonl`,
    bytes: result.blob.bytes,
    mimeType: 'application/jsonl',
    purpose: 'batch_output',
    blob: plain(result.blob),
  };
  const { resultsLifetimeMs: lifetimeMs, retentionMs } = bounds;
  const store = { type: 'file.store', file, lifetimeMs, accountBytesMax: Number.MAX_SAFE_INTEGER };
  const lines = Array.from({ length: state.total }, (_, index): Effect => {
    return { type: 'remove', collection: 'line', id: lineName(index) };
  });
  return [
    ...lines,
    { type: 'cancel', name: WINDOW_TIMER },
    { type: 'schedule', name: FORGET, at: at + retentionMs, event: { type: FORGET } },
    { type: 'send', to: fileAddress(account, result.id), event: store },
    { type: 'send', to: accountAddress(account), event: { type: 'queue.leave', batch: id } },
  ];
}

/** The batch has ended with its results file. */
function finalize(state: BatchState, { result: { id, lost }, at }: ResultsDone): BatchState {
  const { completed, failed } = state;
  return { ...state, finalizedAt: at, resultsFileId: id, completed: completed - lost, failed: failed + lost };
}

export const actions = {
  writeResults: emitOn('*', performResults),
  scheduleResults: emitOn('results.failed', scheduleResults),
  repeatResults: emitOn('results.retry', repeatResults),
  finalize: assignOn('results.done', finalize),
  endBatch: emitOn('results.done', endBatch),
};
