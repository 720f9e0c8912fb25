/**
 * The message by which an actor records a change in the audit log of its account: sent in the step that changes, so the
 * entry is in the commit of the change itself. Below it, what the hash-chained collections share: the ledger and the
 * audit log.
 */

import { hash } from 'node:crypto';
import { type ActorEvent, type Effect, ownerOf, type RowQuery, type RowRecord } from '../runtime/index.ts';
import { plain } from './chart-tools.ts';
import { auditAddress } from './ids.ts';
import type { Principal } from './principal.ts';

/** The log of changes that concern no account. */
export const OPERATOR_LOG = 'operator';

export interface AuditRecord {
  /** A dotted noun and verb, such as `key.revoke`. */
  readonly action: string;
  /** The address or id of what was changed. */
  readonly target: string;
  readonly by: Principal;
  /** What changed, without secrets. At most `AUDIT_DETAIL_MAX` characters of JSON; a longer one is left out. */
  readonly detail?: object;
  /** Absent: `done`. `refused`: the actor answered the request with a refusal. */
  readonly result?: 'done' | 'refused';
}

/** `of` is the address of the actor whose change this is; its owner names the log. */
export function recordAudit(of: string, record: AuditRecord): Effect {
  return { type: 'send', to: auditAddress(ownerOf(of)), event: { type: 'audit.append', ...membersOf(record) } };
}

/** The event of a change that no actor makes: the log answers it, and the change begins after the answer. */
export function auditEvent(record: AuditRecord): ActorEvent {
  return { type: 'audit.record', ...membersOf(record) };
}

/** Of the event that cancels a job: the operator, where it was one. An account's own cancel is no entry of its log. */
export interface OperatorCancel {
  readonly by?: Principal;
  /** Why; absent where the operator was not asked. */
  readonly reason?: string;
}

/** The entry of an operator's cancel of the job at an address. */
export function recordCancel(address: string, action: string, { by, reason }: OperatorCancel): Effect[] {
  if (by === undefined) return [];
  return [
    recordAudit(address, { action, target: address, by, ...(reason === undefined ? {} : { detail: { reason } }) }),
  ];
}

function membersOf({ action, target, by, detail, result }: AuditRecord) {
  return { action, target, by: plain(by), detail: plain(detail ?? {}), result: result ?? 'done' };
}

/** Takes the place of the previous hash in the first entry. */
export const CHAIN_ROOT = '0'.repeat(64);
const SEQUENCE_DIGITS = 12;

/** Row id of an entry: zero-padded so that it sorts as its number. */
export function sequenceId(sequence: number): string {
  return sequence.toString().padStart(SEQUENCE_DIGITS, '0');
}

/** SHA-256 of a text, 64 hex digits. */
export function chainHash(text: string): string {
  return hash('sha256', text);
}

/** Reads rows of the store: a node's own, or those of an operator's connection. */
export type ReadRows = (query: RowQuery) => Promise<readonly RowRecord[]>;

/** One log: the collection and the actor that its entries belong to. */
export interface ChainedLog {
  readonly collection: string;
  readonly address: string;
}

/** The last entry of a log before a store time, found by halving: entries are ordered by time. Null: none is. */
export async function lastEntryBefore<T extends { readonly sequence: number; readonly at: number }>(
  rows: ReadRows,
  log: ChainedLog,
  at: number,
): Promise<T | null> {
  const [newest] = await rows({ ...log, order: 'descending', limit: 1 });
  let low = 0;
  let high = newest === undefined ? 0 : (JSON.parse(newest.body) as T).sequence;
  let found: T | null = null;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const after = { sort: middle - 1, id: sequenceId(middle - 1) };
    const [row] = await rows({ ...log, after, limit: 1 });
    if (row === undefined) throw new Error(`${log.collection} of ${log.address} has no entry ${middle}`);
    const entry = JSON.parse(row.body) as T;
    if (entry.at < at) {
      found = entry;
      low = middle;
    } else high = middle - 1;
  }
  return found;
}
