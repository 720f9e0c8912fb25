/** What the hash-chained collections share: the ledger and the audit log. */
import { hash } from 'node:crypto';

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
