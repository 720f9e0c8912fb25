/**
 * The ledger of one account: entries without gaps, each chained to the previous one by its hash. Each entry moves one
 * amount from one side to another, so all sides sum to zero. Entries are appended and never changed; old ones leave from
 * the front, where they are configured to (`prune-ledger.ts`).
 */
import { chainHash } from '../terms/audit.ts';

type LedgerSide = 'outside' | 'balance' | 'revenue' | 'adjustments';

export interface LedgerEntry {
  /** Address of the account. */
  readonly account: string;
  /** 1, 2, 3 ... */
  readonly sequence: number;
  readonly type: 'deposit' | 'charge' | 'adjustment';
  readonly from: LedgerSide;
  readonly to: LedgerSide;
  /** Exact decimal USD, never negative. */
  readonly amount: string;
  /** Store time, ms. */
  readonly at: number;
  /** Natural id: generation, deposit or adjustment. */
  readonly ref: string;
  /** Address of the key that spent; null for deposits and adjustments. */
  readonly key: string | null;
  /** The account's balance after this entry. */
  readonly balance: string;
  /** Hash of the previous entry; 64 zeros for the first. */
  readonly previous: string;
  readonly hash: string;
}

/**
 * The entry with its hash: SHA-256 over the previous hash and every other member, in one fixed order. Builds the text of
 * that JSON array directly: only names can contain characters that JSON
 * escapes, and every other member is a part of a template (measured: 1.0 us including the hash, 1.8 us with
 * `JSON.stringify` of the array).
 */
export function sealEntry(entry: Omit<LedgerEntry, 'hash'>): LedgerEntry {
  const { previous, account, sequence, type, from, to, amount, at, ref, key, balance } = entry;
  const moved = `"${type}","${from}","${to}","${amount}",${at}`;
  const names = `${quoted(ref)},${key === null ? 'null' : quoted(key)}`;
  const hash = chainHash(`["${previous}",${quoted(account)},${sequence},${moved},${names},"${balance}"]`);
  return { account, sequence, type, from, to, amount, at, ref, key, balance, previous, hash };
}

/** Characters that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(name: string): string {
  return PLAIN.test(name) ? `"${name}"` : JSON.stringify(name);
}
