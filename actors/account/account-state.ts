/**
 * The stored state of an account: sums, counters and the newest ledger entry, never a collection. After each event,
 * balance = deposits - charges + adjustments.
 */
import type { Effect } from '../runtime/index.ts';
import { CHAIN_ROOT, sequenceId } from '../terms/audit.ts';
import { plain } from '../terms/chart-tools.ts';
import type { Spending } from '../terms/spending.ts';
import { add, subtract } from '../terms/usd.ts';
import type { BudgetLimits } from '../terms/workspace.ts';
import { type LedgerEntry, sealEntry } from './ledger.ts';
import type { DayRank } from './spend-day.ts';

/** One active batch. */
export interface QueuedBatch {
  /** Batch id; ids sort by age. */
  readonly batch: string;
  /** Slots that it uses. */
  readonly slots: number;
  /** Further slots that it could use now. */
  readonly wants: number;
}

/** One workspace. Exact decimal USD. */
export interface WorkspaceSum {
  /** Empty: no budget. */
  readonly limits: BudgetLimits;
  readonly spending: Spending;
  /** Sum of open holds; 0 without a budget, which alone needs it. */
  readonly held: string;
}

/** By workspace: `DEFAULT_WORKSPACE`, or the id of any other one from its creation to its end. */
export type WorkspaceSums = Readonly<Record<string, WorkspaceSum>>;

export interface AccountState {
  /** Address of the account. */
  readonly address: string;
  readonly name: string;
  /** Store time in ms; null only during the step that creates the account. */
  readonly createdAt: number | null;
  /** Exact decimal USD each. */
  readonly balance: string;
  readonly held: string;
  readonly deposits: string;
  readonly charges: string;
  readonly adjustments: string;
  /** Number of open holds; `held` is their sum. */
  readonly holds: number;
  readonly keys: number;
  readonly last: LedgerEntry | null;
  /** When the sweep of overdue holds is due; null when none is scheduled. */
  readonly nextSweepAt: number | null;
  /** Charges recorded after the release of their hold, and charges above their hold. Each raises an alarm. */
  readonly lateSettles: number;
  readonly overshoots: number;
  /** Bytes of all stored files. */
  readonly storedBytes: number;
  /** The active batches, oldest first; bounded by `ACTIVE_BATCHES_MAX`. */
  readonly queue: readonly QueuedBatch[];
  /** What the account's workspaces spend, and their budgets; null before the first charge. */
  readonly budgets: WorkspaceSums | null;
  /** Number of stored workspaces; bounded by `WORKSPACES_MAX`. */
  readonly workspaces: number;
  /** The charges of the current UTC day among those of other accounts; null before the first charge. */
  readonly dayRank: DayRank | null;
  /** Threshold of the notice of a low balance, exact decimal USD; null without one. */
  readonly lowBalance: string | null;
}

export function emptyAccount(address: string): AccountState {
  return {
    address,
    name: '',
    createdAt: null,
    balance: '0',
    held: '0',
    deposits: '0',
    charges: '0',
    adjustments: '0',
    holds: 0,
    keys: 0,
    last: null,
    nextSweepAt: null,
    lateSettles: 0,
    overshoots: 0,
    storedBytes: 0,
    queue: [],
    budgets: null,
    workspaces: 0,
    dayRank: null,
    lowBalance: null,
  };
}

/** A mutable copy of the state, from which a change builds the next one. */
export function nextOf(state: AccountState): { -readonly [member in keyof AccountState]: AccountState[member] } {
  return { ...state };
}

/** The amount that can still be held: balance minus open holds. Negative after a charge above its hold. */
export function available(state: AccountState): string {
  return subtract(state.balance, state.held);
}

/** The next entry of the ledger: it continues the sequence, the balance and the chain of hashes. */
export function nextEntry(
  state: AccountState,
  entry: Omit<LedgerEntry, 'account' | 'sequence' | 'balance' | 'previous' | 'hash'>,
): LedgerEntry {
  const move = entry.to === 'balance' ? add : subtract;
  const { type, from, to, amount, at, ref, key } = entry;
  const account = state.address;
  const sequence = (state.last?.sequence ?? 0) + 1;
  const balance = move(state.balance, amount);
  const previous = state.last?.hash ?? CHAIN_ROOT;
  return sealEntry({ account, sequence, type, from, to, amount, at, ref, key, balance, previous });
}

/** The entry that the event's change of the state has appended. */
export function lastEntry({ last }: AccountState): LedgerEntry {
  if (last === null) throw new Error('the account has no ledger entry');
  return last;
}

/** Writes the newest ledger entry as a row. */
export function recordEntry(state: AccountState): Effect {
  const entry = lastEntry(state);
  return { type: 'put', collection: 'ledger', id: sequenceId(entry.sequence), body: plain(entry) };
}
