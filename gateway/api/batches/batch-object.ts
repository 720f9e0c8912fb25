import type { BatchCounts, BatchRecord } from '../../../actors/batch/batch-record.ts';

/** A batch as the API shows it; times are Unix seconds. (rule B29, rule B35) */
export interface BatchObject {
  readonly id: string;
  readonly object: 'batch';
  readonly endpoint: string;
  readonly model: string | null;
  readonly completion_window: '24h';
  readonly status: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly finalized_at: number | null;
  readonly request_counts: BatchCounts;
  readonly results_file_id: string | null;
  /** The same, under the name that the OpenAI SDK reads. */
  readonly output_file_id: string | null;
  readonly error: BatchRecord['error'];
  /** Result lines, added where they are shown. */
  readonly results: null;
}

/** `results` is the last member, so that its text can be streamed behind the others. */
export function batchObject(batch: BatchRecord): BatchObject {
  const { total, completed, failed } = batch.counts;
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    model: batch.model,
    completion_window: batch.completionWindow,
    status: batch.status,
    created_at: seconds(batch.createdAt),
    expires_at: seconds(batch.expiresAt),
    finalized_at: batch.finalizedAt === null ? null : seconds(batch.finalizedAt),
    request_counts: { total, completed, failed },
    results_file_id: batch.resultsFileId,
    output_file_id: batch.resultsFileId,
    error: batch.error,
    results: null,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
