import type { Refusal } from '../../../actors/terms/refusal.ts';

/**
 * The rate budgets as the edge uses them. Each call counts one request, cluster-wide, and resolves with the refusal of
 * a used-up window (or of a dead key), or null. Rejects with AskError if the counting actor cannot be reached.
 */
export interface Budgets extends WindowBudgets {
  /** Counts a request of a known key that will not be admitted. */
  countKey(key: string): Promise<Refusal | null>;
  /** Counts a request whose credential matches no key. `digest` is 64 hex digits. */
  countUnknown(digest: string): Promise<Refusal | null>;
  /** Counts a request of a person's browser by the session's digest, 64 hex digits. */
  countSession(digest: string): Promise<Refusal | null>;
  /** Counts a request without a valid key, by its source address. */
  countAddress(address: string): Promise<Refusal | null>;
}

/** The whole endpoint's window, and the parts of it that single accounts may take. */
export interface WindowBudgets {
  /** Requests a share of the whole endpoint's window. `askers`: whom it is for, at most two. */
  grantSlice(askers: readonly string[]): Promise<GrantedSlice>;
  /** Returns the unused part of a share, best effort. */
  returnSlice(unused: number, resetAt: number): void;
  /** Reports askers that came after the share of this window was granted, best effort. */
  reportAskers(askers: readonly string[], resetAt: number): void;
  /** Requests a share of the part that one holder may take while others ask. Resolves with 0 when it is used up. */
  grantPart(holder: string): Promise<number>;
}

export interface GrantedSlice {
  /** Requests granted; 0 when the window is used up. */
  readonly granted: number;
  /** Milliseconds left of the window when the share was granted. */
  readonly remainingMs: number;
  readonly limit: number;
  /** Store time in ms when the window starts again. */
  readonly resetAt: number;
  /** True if several accounts or client addresses ask, in this window or the one before. */
  readonly contended: boolean;
}
