import type { Collection, SealedBlob } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';
import type { ErrorType } from '../terms/refusal.ts';

/** The dialect routes whose bodies a batch may contain. (rule B1) */
export const BATCH_ENDPOINTS = ['/v1/chat/completions', '/v1/responses', '/v1/messages'] as const;
export type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

export const BATCH_STATUSES = [
  ...(['validating', 'in_progress', 'cancelling'] as const),
  ...(['completed', 'failed', 'expired', 'cancelled'] as const),
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** The row of a batch: what the API shows of it. Rows of ended batches stay for the configured retention. */
export interface BatchRecord {
  /** `batch_` and 32 hex digits. */
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
  readonly endpoint: BatchEndpoint;
  readonly model: string | null;
  readonly completionWindow: '24h';
  readonly status: BatchStatus;
  /** Store times, ms. The time of the id is the time of creation. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly finalizedAt: number | null;
  readonly counts: BatchCounts;
  readonly resultsFileId: string | null;
  /** Why the batch failed as a whole. */
  readonly error: { readonly code: ErrorType; readonly message: string } | null;
  /** All bodies as one blob; null when every body was refused, and once the batch has ended. */
  readonly bodies: SealedBlob | null;
}

/** `total` less both others is the number of lines that did not run. */
export interface BatchCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** Index columns of the batch collection. */
export const BATCH_ACCOUNT = 0;
export const BATCH_STATUS = 1;
const BATCH_BODIES = 2;
/** For lists over all accounts. */
export const BATCH_STATUS_OF_ALL = 3;

/** Batches sort by the time in their ids, so that a page can continue after a batch that no longer exists. */
export const batchCollection: Collection = {
  sort: (row: BatchRecord) => timeOfId(row.id),
  index: [
    (row: BatchRecord) => row.account,
    (row: BatchRecord) => statusColumn(row.account, row.status),
    (row: BatchRecord) => row.bodies?.id ?? null,
    (row: BatchRecord) => row.status,
  ],
  blob: BATCH_BODIES,
};

/** The look-up text of an account's batches with one status. */
export function statusColumn(account: string, status: string): string {
  return `${account} ${status}`;
}
