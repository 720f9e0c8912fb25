/**
 * The stored state of an account: sums, counters and the newest ledger entry, never a collection. Every function is
 * pure and returns the next state. After each of them, balance = deposits - charges + adjustments.
 */

import { CHAIN_ROOT } from '../terms/hash-chain.ts';
import { add, isNegative, subtract } from '../terms/usd.ts';
import type { WorkspaceSums } from './budgets.ts';
import { type LedgerEntry, type LedgerSide, sealEntry } from './ledger.ts';

/** One active batch. */
export interface QueuedBatch {
  /** Batch id; ids sort by age. */
  readonly batch: string;
  /** Slots that it uses. */
  readonly slots: number;
  /** Further slots that it could use now. */
  readonly wants: number;
}

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
    lowBalance: null,
  };
}

/**
 * A mutable copy of the state for the reducer that builds the next one. Copied member by member so that all states have
 * one hidden class: repeated object spreads give V8 a new shape each time and end in its slow path (Node 20: 1 to 2 us
 * a step).
 */
function nextOf(state: AccountState): { -readonly [member in keyof AccountState]: AccountState[member] } {
  return {
    address: state.address,
    name: state.name,
    createdAt: state.createdAt,
    balance: state.balance,
    held: state.held,
    deposits: state.deposits,
    charges: state.charges,
    adjustments: state.adjustments,
    holds: state.holds,
    keys: state.keys,
    last: state.last,
    nextSweepAt: state.nextSweepAt,
    lateSettles: state.lateSettles,
    overshoots: state.overshoots,
    storedBytes: state.storedBytes,
    queue: state.queue,
    budgets: state.budgets,
    workspaces: state.workspaces,
    lowBalance: state.lowBalance,
  };
}

/** The state of a newly created account. */
export function named(state: AccountState, name: string, createdAt: number): AccountState {
  const next = nextOf(state);
  next.name = name;
  next.createdAt = createdAt;
  return next;
}

/** Sets the time of the next sweep; null cancels it. */
export function sweptTill(state: AccountState, nextSweepAt: number | null): AccountState {
  const next = nextOf(state);
  next.nextSweepAt = nextSweepAt;
  return next;
}

/** The amount that can still be held: balance minus open holds. Negative after a charge above its hold. */
export function available(state: AccountState): string {
  return subtract(state.balance, state.held);
}

/** Adds a hold: `amount` joins the sum, and the sweep is due at `deadlineAt` at the latest. */
export function withHold(state: AccountState, amount: string, deadlineAt: number): AccountState {
  const next = nextOf(state);
  next.held = add(state.held, amount);
  next.holds = state.holds + 1;
  next.nextSweepAt = earlier(state.nextSweepAt, deadlineAt);
  return next;
}

/** Replaces a hold: the sum changes by the difference, which may be negative. */
export function withRaise(state: AccountState, delta: string, deadlineAt: number): AccountState {
  const next = nextOf(state);
  next.held = add(state.held, delta);
  next.nextSweepAt = earlier(state.nextSweepAt, deadlineAt);
  return next;
}

/** Schedules the sweep for `dueAt` at the latest. */
export function dueBy(state: AccountState, dueAt: number): AccountState {
  const next = nextOf(state);
  next.nextSweepAt = earlier(state.nextSweepAt, dueAt);
  return next;
}

/** Removes `holds` holds with a sum of `amount`. */
export function withoutHolds(state: AccountState, amount: string, holds: number): AccountState {
  const next = nextOf(state);
  next.held = subtract(state.held, amount);
  next.holds = state.holds - holds;
  return next;
}

/** Counts the bytes of a file that is stored, or with a negative number of one that is removed. */
export function withStored(state: AccountState, bytes: number): AccountState {
  const next = nextOf(state);
  next.storedBytes = Math.max(0, state.storedBytes + bytes);
  return next;
}

export function withQueue(state: AccountState, queue: readonly QueuedBatch[]): AccountState {
  const next = nextOf(state);
  next.queue = queue;
  return next;
}

export function withBudgets(state: AccountState, budgets: WorkspaceSums | null): AccountState {
  const next = nextOf(state);
  next.budgets = budgets;
  return next;
}

/** Counts a workspace that is opened, or with -1 one that is closed. */
export function withWorkspaces(state: AccountState, change: 1 | -1): AccountState {
  const next = nextOf(state);
  next.workspaces = state.workspaces + change;
  return next;
}

/** Sets the threshold of the notice of a low balance; null ends it. */
export function withLowBalance(state: AccountState, lowBalance: string | null): AccountState {
  const next = nextOf(state);
  next.lowBalance = lowBalance;
  return next;
}

export interface ChargeEntry {
  readonly cost: string;
  readonly at: number;
  readonly generation: string;
  readonly key: string;
  /** The amount held for this charge, which the charge frees; null when the hold was released before. */
  readonly held: string | null;
  readonly overshoot: boolean;
}

export function withCharge(state: AccountState, charge: ChargeEntry): AccountState {
  const { cost, at, generation, key, held } = charge;
  const last = append(state, {
    type: 'charge',
    from: 'balance',
    to: 'revenue',
    amount: cost,
    at,
    ref: generation,
    key,
  });
  const next = nextOf(state);
  next.balance = last.balance;
  next.charges = add(state.charges, cost);
  next.last = last;
  if (charge.overshoot) next.overshoots++;
  if (held === null) next.lateSettles++;
  else {
    next.held = subtract(state.held, held);
    next.holds--;
  }
  return next;
}

export function withDeposit(state: AccountState, deposit: { id: string; amount: string; at: number }): AccountState {
  const { id: ref, amount, at } = deposit;
  const last = append(state, { type: 'deposit', from: 'outside', to: 'balance', amount, at, ref, key: null });
  const next = nextOf(state);
  next.balance = last.balance;
  next.deposits = add(state.deposits, amount);
  next.last = last;
  return next;
}

/** `amount` may be negative: it is then deducted from the balance. */
export function withAdjustment(
  state: AccountState,
  adjustment: { id: string; amount: string; at: number },
): AccountState {
  const { id: ref, amount, at } = adjustment;
  const taken = isNegative(amount);
  const [from, to]: [LedgerSide, LedgerSide] = taken ? ['balance', 'adjustments'] : ['adjustments', 'balance'];
  const size = taken ? amount.slice(1) : amount;
  const last = append(state, { type: 'adjustment', from, to, amount: size, at, ref, key: null });
  const next = nextOf(state);
  next.balance = last.balance;
  next.adjustments = add(state.adjustments, amount);
  next.last = last;
  return next;
}

function append(
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

function earlier(scheduledAt: number | null, dueAt: number): number {
  return scheduledAt === null || dueAt < scheduledAt ? dueAt : scheduledAt;
}
