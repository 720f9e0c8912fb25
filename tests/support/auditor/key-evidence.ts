import type { AuditEntry, AuditHead } from '../../../actors/audit/audit-entry.ts';
import type { Credential } from '../../../actors/key/credential.ts';

/** What owners did with keys during a run, and what the keys were good for. Times are wall ms of the client. */
export interface KeyEvidence {
  /** In the order of each key's changes. */
  readonly changes: readonly KeyChange[];
  readonly uses: readonly KeyUse[];
  /** Requests with a key of the wrong kind. */
  readonly misused: readonly { readonly what: string; readonly status: number | null }[];
  /** Concurrent trades of one code each. */
  readonly trades: readonly CodeTrades[];
  /** Places in which the texts of issued keys were looked for. */
  readonly searched: readonly { readonly where: string; readonly found: boolean }[];
  /** Rows after the run. */
  readonly credentials: readonly Credential[];
  readonly logs: readonly AuditLog[];
}

export interface KeyChange {
  /** Address of the account. */
  readonly account: string;
  /** Public handle of the key. */
  readonly hash: string;
  readonly what: 'create' | 'limit' | 'disable' | 'enable' | 'move' | 'revoke' | 'expire';
  readonly at: number;
  readonly endAt: number;
  /** Null: the outcome is unknown. */
  readonly status: number | null;
  /** Of `create` and `limit`: exact USD, null for none. */
  readonly limit?: string | null;
  /** Of `create`: requests per minute. */
  readonly perMinute?: number;
}

export interface KeyUse {
  readonly hash: string;
  readonly way: 'turn' | 'read';
  readonly at: number;
  readonly endAt: number;
  readonly status: number | null;
  /** The body of a refused read. */
  readonly refusal: string | null;
}

export interface CodeTrades {
  readonly granted: number;
  readonly unknown: number;
  readonly refusals: readonly string[];
}

export interface AuditLog {
  /** Account id. */
  readonly account: string;
  readonly entries: readonly AuditEntry[];
  /** What was removed before them. */
  readonly opening: AuditHead;
  /** The newest entry as the log's actor remembers it. */
  readonly head: AuditHead;
}
