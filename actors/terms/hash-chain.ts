/** What the hash-chained collections share: the ledger and the audit log. */
import { hash } from 'node:crypto';
import type { RowQuery, RowRecord } from '../runtime/index.ts';

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

export interface ChainedEntry {
  readonly sequence: number;
  /** Store time, ms. */
  readonly at: number;
}

/** The last entry of a log before a store time, found by halving: entries are ordered by time. Null: none is. */
export async function lastEntryBefore<T extends ChainedEntry>(
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
