/**
 * Removes old entries of the ledger, and carries their sums forward: balance = deposits - charges + adjustments of the
 * opening with the entries behind it. (rule K84)
 */
import { type Cluster, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { ask, plain, reply } from '../terms/chart-tools.ts';
import {
  isPrunable,
  type Opening,
  openingOf,
  type Prune,
  type PrunedLog,
  pruned,
  pruneRows,
  refusePrune,
} from '../terms/opening.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { add, subtract } from '../terms/usd.ts';
import type { AccountState } from './account-state.ts';
import { type LedgerEntry, sealEntry } from './ledger.ts';

/** From the sweep of a node. */
export type LedgerPrune = Stamped & Prune<LedgerEntry> & { readonly type: 'ledger.prune' };

/** Sums over all removed entries, exact decimal USD. */
export interface LedgerOpening extends Opening {
  /** Address of the account. */
  readonly account: string;
  readonly balance: string;
  readonly deposits: string;
  readonly charges: string;
  readonly adjustments: string;
}

export const LEDGER: PrunedLog<LedgerEntry> = {
  entries: 'ledger',
  openings: 'ledger-opening',
  hashOf: (entry) => sealEntry(entry).hash,
};

/** Newest last, in the place of the entries that they stand for. */
export const ledgerOpeningCollection = { sort: ({ sequence }: LedgerOpening) => sequence };

function prune({ address }: AccountState, event: LedgerPrune): Effect[] {
  const opening = event.entries.reduce(carried, {
    ...(openingOf<LedgerOpening>(event) ?? nothingRemoved(address)),
    month: event.month,
  });
  return [...pruned(LEDGER, opening, event.entries), reply(opening)];
}

function nothingRemoved(account: string): Omit<LedgerOpening, 'month'> {
  return { account, sequence: 0, hash: '', balance: '0', deposits: '0', charges: '0', adjustments: '0' };
}

function carried(opening: LedgerOpening, { type, to, amount, sequence, hash, balance }: LedgerEntry): LedgerOpening {
  const next = { ...opening, sequence, hash, balance };
  if (type === 'deposit') return { ...next, deposits: add(opening.deposits, amount) };
  if (type === 'charge') return { ...next, charges: add(opening.charges, amount) };
  const move = to === 'balance' ? add : subtract;
  return { ...next, adjustments: move(opening.adjustments, amount) };
}

/** Answers the opening of what remains. Refused: 409 where the ledger does not begin with these entries. */
export function pruneLedger(
  cluster: Pick<Cluster, 'ask'>,
  account: string,
  part: Prune<LedgerEntry>,
  withinMs: number,
): Promise<LedgerOpening | RefusedAnswer> {
  return ask(cluster, account, { type: 'ledger.prune', ...part, entries: plain(part.entries) }, withinMs);
}

export const rows = {
  'ledger.prune': (event: LedgerPrune) => pruneRows(LEDGER, event),
};

export const guards = {
  isPrunable: guardOn('ledger.prune', ({ last }: AccountState, event: LedgerPrune) => isPrunable(LEDGER, event, last)),
};

export const actions = {
  prune: emitOn('ledger.prune', prune),
  refusePrune: emitOn('ledger.prune', refusePrune),
};
