import type { Refusal } from '../../../actors/terms/refusal.ts';

/**
 * The rate budgets as the edge uses them. Each call counts one request, cluster-wide, and resolves with the refusal of
 * a used-up window (or of a dead key), or null. Rejects with AskError if the counting actor cannot be reached.
 */
export interface Budgets {
  /** Counts a request of a known key that will not be admitted. */
  countKey(key: string): Promise<Refusal | null>;
  /** Counts a request whose credential matches no key. `digest` is 64 hex digits. */
  countUnknown(digest: string): Promise<Refusal | null>;
  /** Counts a request without a usable credential, by its source address. */
  countAddress(address: string): Promise<Refusal | null>;
  /** Requests a share of the whole endpoint's window. */
  grantSlice(): Promise<GrantedSlice>;
  /** Returns the unused part of a share, best effort. */
  returnSlice(unused: number, slice: GrantedSlice): void;
}

export interface GrantedSlice {
  /** Requests granted; 0 when the window is used up. */
  readonly granted: number;
  /** Milliseconds left of the window when the share was granted. */
  readonly remainingMs: number;
  readonly limit: number;
  /** Store time in ms when the window starts again. */
  readonly resetAt: number;
}
