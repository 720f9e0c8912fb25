/** The submission of a batch: its lines become rows, and it joins the queue of its account. */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { accountAddress, timeOfId } from '../terms/ids.ts';
import { type BatchBounds, type BatchState, type NewBatch, submittedOf } from './batch-state.ts';
import { failedOutcome, type LineOutcome, type LineRecord, type NewLine } from './line-record.ts';
import { counted, lineName, wanted } from './lines.ts';

export type BatchSubmit = Stamped & {
  readonly type: 'batch.submit';
  readonly batch: NewBatch;
  readonly bounds: BatchBounds;
};

/** The timer of the completion window. */
export const WINDOW_TIMER = 'batch.expire';

function submit(state: BatchState, { batch, bounds }: BatchSubmit): BatchState {
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
function refusedOutcome(line: NewLine): LineOutcome | null {
  return 'refused' in line ? failedOutcome(line.customId, line.refused, null) : null;
}

/** Every body was refused: the batch fails as a whole. */
function fail(state: BatchState): BatchState {
  const message = 'No request of this batch can run: every body failed its validation; the results list the reasons';
  return { ...state, error: { code: 'invalid_request', message } };
}

/** The rows of all lines, and the place in the account's queue: the account refuses an eleventh batch. */
function recordSubmission(state: BatchState, { batch }: BatchSubmit): Effect[] {
  const { id, account, expiresAt } = submittedOf(state);
  const rows = batch.lines.map((line, index): Effect => {
    const body = 'refused' in line ? null : { offset: line.offset, length: line.length };
    const row: LineRecord = { index, customId: line.customId, body, outcome: refusedOutcome(line) };
    return { type: 'put', collection: 'line', id: lineName(index), body: plain(row) };
  });
  const claim = batch.idempotency === undefined ? {} : { idempotency: plain(batch.idempotency) };
  const join = { type: 'queue.join', batch: id, wants: wanted(state), ...claim };
  return [
    ...rows,
    { type: 'schedule', name: WINDOW_TIMER, at: expiresAt, event: { type: WINDOW_TIMER } },
    { type: 'send', to: accountAddress(account), event: join },
  ];
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
};
