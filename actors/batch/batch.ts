/** The batch kind and its client functions. Lists and look-ups read rows from the store, on any node. */
import { AskError, type Cluster, type Json, type Kind } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { FEED_EVENTS, feedEventCollection } from '../terms/feed-event.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { batchAddress } from '../terms/ids.ts';
import { byMember, type Principal } from '../terms/principal.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { batchMachine } from './batch.machine.ts';
import { type BatchRecord, batchCollection } from './batch-record.ts';
import type { BatchBounds, NewBatch } from './batch-state.ts';
import { explainBatch } from './explain.ts';
import { lineCollection } from './line-record.ts';
import { batchRows } from './lines.ts';

export const batchKind: Kind = {
  name: 'batch',
  machine: batchMachine,
  version: 1,
  creates: ['batch.submit'],
  finishes: ['batch.cancel'],
  volatile: [],
  activities: ['line', 'results'],
  collections: { batch: batchCollection, line: lineCollection, [FEED_EVENTS]: feedEventCollection },
  rows: batchRows,
  history: EVERY_STEP,
  explain: explainBatch,
  redact: (context: Json) => context,
};

interface SubmitOptions {
  readonly bounds: BatchBounds;
  readonly withinMs: number;
}

/**
 * Creates a batch whose bodies are in the blob store. The id is the natural id: a repeat returns what was recorded, and
 * so does the repeat of an idempotency key with the same body. Rejects with AskError `rejected` with a refusal: 429
 * with ten active batches, 422 for an idempotency key that was used with another body. Nothing is stored then.
 */
export async function submitBatch(
  cluster: Cluster,
  batch: NewBatch,
  { bounds, withinMs }: SubmitOptions,
): Promise<BatchRecord> {
  const event = { type: 'batch.submit', batch: plain(batch), bounds: plain(bounds) };
  const address = batchAddress(batch.account, batch.id);
  try {
    return await ask(cluster, address, event, withinMs);
  } catch (thrown) {
    const recorded = await recordedBefore(cluster, batch.account, thrown);
    if (recorded === null) throw thrown;
    return recorded;
  }
}

/** The batch that the idempotency key of a refused submission stands for; null for any other failure. */
async function recordedBefore(cluster: Cluster, account: string, thrown: unknown): Promise<BatchRecord | null> {
  if (!(thrown instanceof AskError) || thrown.failure.code !== 'rejected') return null;
  const { recorded } = (thrown.failure.refusal.body ?? {}) as { readonly recorded?: string };
  return recorded === undefined ? null : findBatch(cluster, account, recorded);
}

/**
 * Cancels a batch. One that is cancelling or cancelled is returned unchanged. Refused: 404, and 409 for other ended
 * ones. `by` is the operator who cancels for the account: it is recorded.
 */
export async function cancelBatch(
  cluster: Cluster,
  account: string,
  id: string,
  withinMs: number,
  by?: Principal,
): Promise<BatchRecord | RefusedAnswer> {
  try {
    const event = { type: 'batch.cancel', ...byMember(by) };
    return await ask(cluster, batchAddress(account, id), event, withinMs);
  } catch (thrown) {
    if (!(thrown instanceof AskError) || thrown.failure.code !== 'absent') throw thrown;
    return { refusal: { status: 404, type: 'not_found', message: 'No such batch' } };
  }
}

/** A batch of the account; null for one that is unknown, another account's or no longer shown. */
export async function findBatch(cluster: Cluster, account: string, id: string): Promise<BatchRecord | null> {
  const row = await cluster.rows.row(batchAddress(account, id), 'batch', id);
  return row === null ? null : (JSON.parse(row.body) as BatchRecord);
}
