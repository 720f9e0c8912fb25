import type { ProgressState } from '../frame/progress.ts';

/** The members of a batch, as the public API shows it, that the commands use. Times are Unix seconds. */
export interface ShownBatch {
  readonly id: string;
  readonly endpoint: string;
  readonly model: string | null;
  readonly status: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly finalized_at: number | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly results_file_id: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

export function hasEnded({ status }: ShownBatch): boolean {
  return ENDED.has(status);
}

export function progressOf({ status, request_counts: { total, completed, failed } }: ShownBatch): ProgressState {
  const ended = completed + failed;
  return { done: ended / total, summary: `${ended}/${total} done, ${failed} failed, ${status}` };
}
