/**
 * The entries of an audit log: numbered without gaps, each chained to the previous one by its hash. Entries are
 * appended and never changed; old ones leave from the front, where they are configured to. (rule K19, rule K20)
 */
import type { Json } from '../runtime/index.ts';
import { CHAIN_ROOT, chainHash } from '../terms/audit.ts';
import type { PrunedLog } from '../terms/opening.ts';
import type { Principal } from '../terms/principal.ts';

export interface AuditEntry {
  /** Owner of the log: an account id, or `operator`. */
  readonly account: string;
  /** 1, 2, 3 ... */
  readonly sequence: number;
  /** Store time, ms. */
  readonly at: number;
  readonly action: string;
  readonly target: string;
  readonly by: Principal;
  readonly result: 'done' | 'refused';
  readonly detail: Json;
  /** Hash of the previous entry; 64 zeros for the first. */
  readonly previous: string;
  readonly hash: string;
}

/** Names an entry. */
export type AuditPlace = Pick<AuditEntry, 'account' | 'sequence' | 'at' | 'action'>;

/** The newest entry, as the log's actor remembers it. */
export interface AuditHead {
  readonly sequence: number;
  readonly hash: string;
}

export const EMPTY_LOG: AuditHead = { sequence: 0, hash: CHAIN_ROOT };

/** Bounds of one entry. Longer texts are cut: a change is never refused because of its record. */
export const AUDIT_TEXT_MAX = 256;
export const AUDIT_DETAIL_MAX = 4_096;

/** SHA-256 over the previous hash and every other member, in one fixed order. */
export function hashAudit(entry: Omit<AuditEntry, 'hash'>): string {
  const { previous, account, sequence, at, action, target, by, result, detail } = entry;
  const principal = [by.kind, by.id, by.address ?? null];
  return chainHash(JSON.stringify([previous, account, sequence, at, action, target, principal, result, detail]));
}

export const AUDIT: PrunedLog<AuditEntry> = { entries: 'audit', openings: 'audit-opening', hashOf: hashAudit };

export type AuditVerdict =
  /** `entries` were written in all; the first `removed` of them have left after their retention. */
  | { readonly sound: true; readonly entries: number; readonly removed: number }
  | { readonly sound: false; readonly sequence: number; readonly reason: string };

/** Verifies entries page by page, in ascending order. Holds one hash, never a page. */
export class AuditVerifier {
  #previous: AuditHead;
  #failure: { readonly sequence: number; readonly reason: string } | null = null;
  readonly #account: string;
  readonly #removed: number;

  /** `opening` is where the log begins; `from`, if it is not there, is the entry before the first that will be added. */
  constructor(account: string, opening: AuditHead = EMPTY_LOG, from = opening) {
    this.#account = account;
    this.#removed = opening.sequence;
    this.#previous = from;
  }

  add(entries: readonly AuditEntry[]): void {
    for (const entry of entries) {
      if (this.#failure !== null) return;
      const reason = this.#validationError(entry);
      if (reason !== null) this.#failure = { sequence: entry.sequence, reason };
      this.#previous = entry;
    }
  }

  /** The verdict against the head that the log's actor remembers: entries that follow it are newer. */
  end(head: AuditHead): AuditVerdict {
    if (this.#failure !== null) return { sound: false, ...this.#failure };
    const { sequence, hash } = this.#previous;
    if (sequence < head.sequence) {
      return { sound: false, sequence: head.sequence, reason: `missing: the log has ${head.sequence} entries` };
    }
    if (sequence === head.sequence && hash !== head.hash) {
      return { sound: false, sequence, reason: 'is not the newest entry that was written' };
    }
    return { sound: true, entries: sequence, removed: this.#removed };
  }

  #validationError(entry: AuditEntry): string | null {
    const { sequence, hash } = this.#previous;
    if (entry.sequence !== sequence + 1) return `gap: ${entry.sequence} follows ${sequence}`;
    if (entry.account !== this.#account) return `belongs to ${entry.account}`;
    if (entry.previous !== hash) return 'does not follow the entry before';
    return entry.hash === hashAudit(entry) ? null : 'its hash is not that of its content';
  }
}
