import type { Refusal } from '../../../actors/terms/refusal.ts';

/**
 * The rate budgets as the edge uses them: each call counts one request, cluster-wide, and answers with the refusal of a
 * used-up window (or of a dead key), or null. They reject with AskError where the counting actor cannot be reached.
 */
export interface Budgets {
  /** A request of a known key that is not going to be admitted. */
  countKey(key: string): Promise<Refusal | null>;
  /** A request with a credential that no key has. `digest` is 64 hex digits. */
  countUnknown(digest: string): Promise<Refusal | null>;
  /** A request without a usable credential, by the address it came from. */
  countAddress(address: string): Promise<Refusal | null>;
  /** A share of the whole endpoint's window. */
  grantSlice(): Promise<GrantedSlice>;
  /** Returns what was not used of a share, best effort. */
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
