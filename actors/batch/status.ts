/** What a batch shows of itself: its row, the events of the feed, and its answers; each status is a parameter. */
import { type Effect, emitOn, type Stamped } from '../runtime/index.ts';
import { type OperatorCancel, recordCancel } from '../terms/audit.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import { putFeedEvent } from '../terms/feed-event.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import type { BatchRecord, BatchStatus } from './batch-record.ts';
import { type BatchState, submittedOf } from './batch-state.ts';

function recordOf(state: BatchState, status: BatchStatus): BatchRecord {
  const { id, account, key, endpoint, model, createdAt, expiresAt, bodies } = submittedOf(state);
  const { total, completed, failed, finalizedAt, resultsFileId, error } = state;
  return {
    id,
    account,
    key,
    endpoint,
    model,
    completionWindow: '24h',
    status,
    createdAt,
    expiresAt,
    finalizedAt,
    counts: { total, completed, failed },
    resultsFileId,
    error,
    bodies: finalizedAt === null ? bodies : null,
  };
}

export type BatchCancel = Stamped & OperatorCancel & { readonly type: 'batch.cancel' };

/** The status that a batch is shown with. */
interface Shown {
  readonly status: BatchStatus;
}

/** The row, and the event for the account's feed. */
export function putBatch(state: BatchState, { at }: Pick<Stamped, 'at'>, { status }: Shown): Effect[] {
  const record = recordOf(state, status);
  const { id, account } = record;
  return [
    { type: 'put', collection: 'batch', id, body: plain(record) },
    putFeedEvent({ id, account, type: 'batch.updated', at, object: { ...record, bodies: null } }),
  ];
}

export function answerBatch(state: BatchState, _: unknown, { status }: Shown): Effect {
  return reply(recordOf(state, status));
}

/** A batch that has ended otherwise cannot be cancelled. */
export type UncancellableStatus = 'completed' | 'failed' | 'expired';

function refuseCancel(_: BatchState, _event: unknown, { status }: { readonly status: UncancellableStatus }): Effect {
  const message = `This batch has ended: it is ${status}`;
  return reply({ refusal: { status: 409, type: 'conflict', message } } satisfies RefusedAnswer);
}

/** Neither list nor look-up shows the batch from now on. */
function forget(state: BatchState): Effect[] {
  return [{ type: 'remove', collection: 'batch', id: submittedOf(state).id }, { type: 'stop' }];
}

export const actions = {
  put: emitOn('*', putBatch),
  answer: emitOn('*', answerBatch),
  recordCancel: emitOn('batch.cancel', (state: BatchState, event: BatchCancel) =>
    recordCancel(state.address, event.type, event),
  ),
  refuseCancel: emitOn('*', refuseCancel),
  forget: emitOn('*', forget),
};
