/** The account kind and its client functions. Every amount is exact decimal USD; every id is a natural id. */
import type { Cluster, Json, Kind } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { FEED_EVENTS, feedEventCollection } from '../terms/feed-event.ts';
import type { Release, Released, Settled, Settlement } from '../terms/hold.ts';
import type { Principal } from '../terms/principal.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { daysMs, USUAL_RETENTION } from '../terms/retention.ts';
import { accountMachine, accountRows } from './account.machine.ts';
import { type PaidIn, paidInCollection } from './deposits.ts';
import { generationCollection } from './generation.ts';
import { claimCollection } from './idempotency.ts';
import type { LedgerEntry } from './ledger.ts';
import { PROFILE, profileCollection } from './profile.ts';
import { LEDGER, ledgerOpeningCollection } from './prune-ledger.ts';
import { SPEND_DAY, spendDayCollection } from './spend-day.ts';
import { type AccountView, explainAccount } from './statement.ts';
import { tombstoneCollection } from './tombstone.ts';

/** `generationsMs`: how long the records of generations are kept from their creation; null: for ever. */
export function accountKind(generationsMs = daysMs(USUAL_RETENTION.generations)): Kind {
  return {
    name: 'account',
    machine: accountMachine,
    version: 1,
    creates: ['account.create'],
    finishes: ['hold.settle', 'hold.release'],
    volatile: ['account.show', 'account.standing', 'hold.open', 'hold.raise', 'hold.settle', 'hold.release'],
    collections: {
      generation: generationCollection(generationsMs),
      tombstone: tombstoneCollection,
      claim: claimCollection,
      [LEDGER.entries]: { sort: (entry: LedgerEntry) => entry.sequence },
      [LEDGER.openings]: ledgerOpeningCollection,
      deposit: paidInCollection,
      adjustment: paidInCollection,
      [PROFILE]: profileCollection,
      [SPEND_DAY]: spendDayCollection,
      [FEED_EVENTS]: feedEventCollection,
    },
    rows: accountRows,
    leaseRows: { collection: 'generation', column: 0, event: 'gateway.lost' },
    explain: explainAccount,
    redact: (context: Json) => context,
  };
}

/** `by` and `approvedBy` are recorded in the account's audit log. */
interface PaidInRequest {
  readonly id: string;
  readonly amount: string;
  readonly by: Principal;
  readonly approvedBy?: string;
}

export type PaidInAnswer = PaidIn & { readonly repeated: boolean };

interface AccountCreated {
  readonly account: string;
  readonly name: string;
  readonly created: boolean;
}

/** `account` is an address, here and below. Repeats are idempotent. */
export function createAccount(
  cluster: Cluster,
  account: string,
  name: string,
  withinMs: number,
): Promise<AccountCreated> {
  return ask(cluster, account, { type: 'account.create', name }, withinMs);
}

/** Credits once per deposit id; a repeat returns what was recorded. */
export function creditDeposit(
  cluster: Cluster,
  account: string,
  deposit: PaidInRequest & { readonly reason?: string },
  withinMs: number,
): Promise<PaidInAnswer> {
  const { id, amount, by, ...why } = deposit;
  const event = { type: 'deposit.credit', deposit: id, amount, ...why, by: plain(by) };
  return ask(cluster, account, event, withinMs);
}

/** Sets the threshold of the notice of a low balance, exact decimal USD; null ends it. */
export function setLowBalance(
  cluster: Cluster,
  account: string,
  { lowBalance, by }: { readonly lowBalance: string | null; readonly by: Principal },
  withinMs: number,
): Promise<{ readonly lowBalance: string | null }> {
  const event = { type: 'notice.set', lowBalance, by: plain(by) };
  return ask(cluster, account, event, withinMs);
}

/** Corrects the balance by `amount`, which may be negative, once per adjustment id. */
export function recordAdjustment(
  cluster: Cluster,
  account: string,
  adjustment: PaidInRequest & { readonly reason: string },
  withinMs: number,
): Promise<PaidInAnswer> {
  const { id, amount, by, ...why } = adjustment;
  const event = { type: 'adjustment.record', adjustment: id, amount, ...why, by: plain(by) };
  return ask(cluster, account, event, withinMs);
}

export function showAccount(cluster: Cluster, account: string, withinMs: number): Promise<AccountView> {
  return ask(cluster, account, { type: 'account.show' }, withinMs);
}

/** `by` is recorded in the account's audit log; repeats are idempotent. */
export function changeAccount(
  cluster: Cluster,
  account: string,
  change: 'suspend' | 'resume',
  withinMs: number,
  by: Principal,
): Promise<AccountView> {
  return ask(cluster, account, { type: `account.${change}`, by: plain(by) }, withinMs);
}

/**
 * Charges a hold exactly once. Refused: 404 unknown generation, 409 another attempt holds it, 422 invalid charge.
 */
export function settle(
  cluster: Pick<Cluster, 'ask'>,
  account: string,
  settlement: Settlement,
  withinMs: number,
): Promise<Settled | RefusedAnswer> {
  const event = { type: 'hold.settle', settlement: plain(settlement) };
  return ask(cluster, account, event, withinMs);
}

/**
 * Ends a hold without a charge. Idempotent; valid for a hold that has ended and for one that was never admitted.
 * Refused: 409.
 */
export function release(
  cluster: Pick<Cluster, 'ask'>,
  account: string,
  ended: Release,
  withinMs: number,
): Promise<Released | RefusedAnswer> {
  const event = { type: 'hold.release', release: plain(ended) };
  return ask(cluster, account, event, withinMs);
}
