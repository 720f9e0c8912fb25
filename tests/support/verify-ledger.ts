/** Verifies the ledger of an account: its chain, its balances, and that nothing was charged or credited twice. */
import type { LedgerEntry } from '../../actors/account/ledger.ts';
import type { LedgerOpening } from '../../actors/account/prune-ledger.ts';
import { CHAIN_ROOT, chainHash } from '../../actors/terms/audit.ts';
import { add, compare, isNegative, subtract } from '../../actors/terms/usd.ts';

/** SHA-256 over the previous hash and every other member, in one fixed order. */
export function hashEntry(entry: Omit<LedgerEntry, 'hash'>): string {
  const { previous, account, sequence, type, from, to, amount, at, ref, key, balance } = entry;
  return chainHash(JSON.stringify([previous, account, sequence, type, from, to, amount, at, ref, key, balance]));
}

interface LedgerTotals {
  readonly entries: number;
  readonly balance: string;
  readonly deposits: string;
  readonly charges: string;
  readonly adjustments: string;
}

type LedgerVerdict =
  | ({ readonly sound: true } & LedgerTotals)
  | { readonly sound: false; readonly sequence: number; readonly reason: string };

/**
 * Verifies a ledger behind its opening, or a whole one, ordered by sequence: sequence numbers, hashes, balances, and that no generation was charged
 * and no deposit credited twice. For a broken ledger, returns the first invalid entry and the reason.
 */
export function verifyLedger(entries: readonly LedgerEntry[], opening: LedgerOpening | null = null): LedgerVerdict {
  let totals = totalsOf(opening);
  let previous = opening?.hash ?? CHAIN_ROOT;
  const seen = new Set<string>();
  for (const entry of entries) {
    const reason = validationError(entry, totals, previous, entries[0]?.account ?? '');
    if (reason !== null) return { sound: false, sequence: entry.sequence, reason };
    const once = `${entry.type} ${entry.ref}`;
    if (seen.has(once)) return { sound: false, sequence: entry.sequence, reason: `second ${once}` };
    seen.add(once);
    totals = addEntry(totals, entry);
    if (compare(totals.balance, entry.balance) !== 0) {
      return { sound: false, sequence: entry.sequence, reason: `balance ${entry.balance}, sum ${totals.balance}` };
    }
    previous = entry.hash;
  }
  return { sound: true, ...totals };
}

function totalsOf(opening: LedgerOpening | null): LedgerTotals {
  if (opening === null) return { entries: 0, balance: '0', deposits: '0', charges: '0', adjustments: '0' };
  const { sequence: entries, balance, deposits, charges, adjustments } = opening;
  return { entries, balance, deposits, charges, adjustments };
}

function validationError(entry: LedgerEntry, before: LedgerTotals, previous: string, account: string): string | null {
  if (entry.sequence !== before.entries + 1) return `gap: ${entry.sequence} follows ${before.entries}`;
  if (entry.account !== account) return `belongs to ${entry.account}`;
  if (isNegative(entry.amount)) return `negative amount ${entry.amount}`;
  if (entry.previous !== previous) return 'does not follow the entry before';
  if (entry.hash !== hashEntry(entry)) return 'its hash is not that of its content';
  if ((entry.to === 'balance') === (entry.from === 'balance')) return `moves from ${entry.from} to ${entry.to}`;
  return null;
}

function addEntry(totals: LedgerTotals, { type, to, amount }: LedgerEntry): LedgerTotals {
  const incoming = to === 'balance';
  const move = incoming ? add : subtract;
  return {
    entries: totals.entries + 1,
    balance: move(totals.balance, amount),
    deposits: type === 'deposit' ? move(totals.deposits, amount) : totals.deposits,
    charges: type === 'charge' ? add(totals.charges, amount) : totals.charges,
    adjustments: type === 'adjustment' ? move(totals.adjustments, amount) : totals.adjustments,
  };
}
