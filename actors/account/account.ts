/** The account kind and its client functions. Every amount is exact decimal USD; every id is a natural id. */
import type { ActorEvent, Cluster, Json, Kind } from '../runtime/index.ts';
import { plain, same } from '../terms/chart-tools.ts';
import { FEED_EVENTS, feedEventCollection } from '../terms/feed-event.ts';
import type { Generation, Release, Released, Settled, Settlement } from '../terms/hold.ts';
import { byMember, type Principal } from '../terms/principal.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { accountMachine, accountRows } from './account.machine.ts';
import { type PaidIn, paidInCollection } from './deposits.ts';
import { generationCollection } from './holds/generation.ts';
import { tombstoneCollection } from './holds/tombstone.ts';
import { claimCollection } from './idempotency.ts';
import type { LedgerEntry } from './ledger.ts';
import { type AccountView, explainAccount } from './statement.ts';

/** Default retention of generation records, counted from their creation. */
export const GENERATION_RETENTION_MS = 90 * 24 * 3_600_000;

export function accountKind(generationRetentionMs: number | null = GENERATION_RETENTION_MS): Kind {
  return {
    name: 'account',
    machine: accountMachine,
    version: 1,
    creates: ['account.create'],
    finishes: ['hold.settle', 'hold.release'],
    volatile: ['account.show', 'account.standing', 'hold.open', 'hold.raise', 'hold.settle', 'hold.release'],
    collections: {
      generation: generationCollection(generationRetentionMs),
      tombstone: tombstoneCollection,
      claim: claimCollection,
      ledger: { sort: (entry: LedgerEntry) => entry.sequence },
      deposit: paidInCollection,
      adjustment: paidInCollection,
      [FEED_EVENTS]: feedEventCollection,
    },
    rows: accountRows,
    leaseRows: { collection: 'generation', column: 0, event: 'gateway.lost' },
    explain: explainAccount,
    redact: (context: Json) => context,
  };
}

/** `by` and `approvedBy` are recorded in the account's audit log. */
export interface PaidInRequest {
  readonly id: string;
  readonly amount: string;
  readonly by?: Principal;
  readonly approvedBy?: string;
}

export type PaidInAnswer = PaidIn & { readonly repeated: boolean };

export interface AccountCreated {
  readonly account: string;
  readonly name: string;
  readonly created: boolean;
}

/** `account` is an address, here and below. Repeats are idempotent. */
export async function createAccount(
  cluster: Cluster,
  account: string,
  name: string,
  withinMs: number,
): Promise<AccountCreated> {
  return (await cluster.ask(
    account,
    { type: 'account.create', name },
    { withinMs, repeat: same },
  )) as unknown as AccountCreated;
}

/** Credits once per deposit id; a repeat returns what was recorded. */
export async function creditDeposit(
  cluster: Cluster,
  account: string,
  deposit: PaidInRequest & { readonly reason?: string },
  withinMs: number,
): Promise<PaidInAnswer> {
  const { id, amount, by, ...why } = deposit;
  const event = { type: 'deposit.credit', deposit: id, amount, ...why, ...byMember(by) };
  return (await cluster.ask(account, event, { withinMs, repeat: same })) as unknown as PaidInAnswer;
}

/** Sets the threshold of the notice of a low balance, exact decimal USD; null ends it. */
export async function setLowBalance(
  cluster: Cluster,
  account: string,
  { lowBalance, by }: { readonly lowBalance: string | null; readonly by?: Principal },
  withinMs: number,
): Promise<{ readonly lowBalance: string | null }> {
  const event = { type: 'notice.set', lowBalance, ...byMember(by) };
  return (await cluster.ask(account, event, { withinMs, repeat: same })) as { readonly lowBalance: string | null };
}

/** Corrects the balance by `amount`, which may be negative, once per adjustment id. */
export async function recordAdjustment(
  cluster: Cluster,
  account: string,
  adjustment: PaidInRequest & { readonly reason: string },
  withinMs: number,
): Promise<PaidInAnswer> {
  const { id, amount, by, ...why } = adjustment;
  const event = { type: 'adjustment.record', adjustment: id, amount, ...why, ...byMember(by) };
  return (await cluster.ask(account, event, { withinMs, repeat: same })) as unknown as PaidInAnswer;
}

export async function showAccount(cluster: Cluster, account: string, withinMs: number): Promise<AccountView> {
  return (await cluster.ask(account, { type: 'account.show' }, { withinMs, repeat: same })) as unknown as AccountView;
}

/** `by` is recorded in the account's audit log; repeats are idempotent. */
export async function suspendAccount(
  cluster: Cluster,
  account: string,
  withinMs: number,
  by?: Principal,
): Promise<AccountView> {
  return switchAccount(cluster, account, { type: 'account.suspend', ...byMember(by) }, withinMs);
}

export async function resumeAccount(
  cluster: Cluster,
  account: string,
  withinMs: number,
  by?: Principal,
): Promise<AccountView> {
  return switchAccount(cluster, account, { type: 'account.resume', ...byMember(by) }, withinMs);
}

async function switchAccount(
  cluster: Cluster,
  account: string,
  event: ActorEvent,
  withinMs: number,
): Promise<AccountView> {
  return (await cluster.ask(account, event, { withinMs, repeat: same })) as unknown as AccountView;
}

/**
 * Charges a hold exactly once. Refused: 404 unknown generation, 409 another attempt holds it, 422 invalid charge.
 * Returns the ask's promise itself without an async wrapper, because every request passes here.
 */
export function settle(
  cluster: Cluster,
  account: string,
  settlement: Settlement,
  withinMs: number,
): Promise<Settled | RefusedAnswer> {
  const event = { type: 'hold.settle', settlement: plain(settlement) };
  return cluster.ask(account, event, { withinMs, repeat: same }) as Promise<unknown> as Promise<
    Settled | RefusedAnswer
  >;
}

/**
 * Ends a hold without a charge. Idempotent; valid for a hold that has ended and for one that was never admitted.
 * Refused: 409.
 */
export async function release(
  cluster: Cluster,
  account: string,
  ended: Release,
  withinMs: number,
): Promise<Released | RefusedAnswer> {
  const event = { type: 'hold.release', release: plain(ended) };
  return (await cluster.ask(account, event, { withinMs, repeat: same })) as unknown as Released | RefusedAnswer;
}

/** Reads a generation of one account from the store; null when there is none. */
export async function findGeneration(cluster: Cluster, account: string, id: string): Promise<Generation | null> {
  const row = await cluster.rows.row(account, 'generation', id);
  return row === null ? null : (JSON.parse(row.body) as Generation);
}
