/**
 * Decides requests to hold money, to move a hold, to charge it or to release it. Each function returns one case name,
 * computed from the account state and the rows of the event. The chart's guards call them. Pure.
 */
import type { Generation } from '../terms/hold.ts';
import { firstRow } from '../terms/row.ts';
import { add, compare, isCharge, isUsd, subtract } from '../terms/usd.ts';
import { type AccountState, available } from './account-state.ts';
import { budgetRoom, workspaceOf } from './budgets.ts';
import type { HoldOpen, HoldRaise, HoldRelease, HoldSettle, JobHold } from './events.ts';
import { newestAttempt } from './generation.ts';
import { otherClaim } from './idempotency.ts';
import type { Tombstone } from './tombstone.ts';

export type OpenCase =
  /** Held already under this attempt: returns the recorded answer. */
  | 'recorded'
  /** Charged, released under this attempt, or held under another key. */
  | 'ended'
  /** A newer attempt was admitted or released before. */
  | 'stale'
  /** The idempotency key stands for another generation, which runs or was charged. */
  | 'claimed'
  /** A repeat without a record of its attempt: the key decides as for a first delivery. */
  | 'unrecorded'
  /**
   * Granted: a new hold, a hold after the release of an older attempt, or one that replaces an older attempt's hold.
   */
  | 'granted'
  | 'key-short'
  | 'budget-short'
  | 'short';

export function judgeOpen(state: AccountState, event: HoldOpen | JobHold): OpenCase {
  const { request } = event;
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const known = judgeRecord(event);
  if (known !== null) return known;
  if (request.repeat) return 'unrecorded';
  if (otherClaim(event) !== null) return 'claimed';
  const room = keyRoom(event);
  if (room !== null && compare(request.amount, room) > 0) return 'key-short';
  const budget = workspaceRoom(state, event);
  if (budget !== null && compare(request.amount, budget) > 0) return 'budget-short';
  return compare(request.amount, accountRoom(state, event)) > 0 ? 'short' : 'granted';
}

/** The case that the records decide for this attempt; null when they leave it open. */
function judgeRecord(event: HoldOpen | JobHold): 'recorded' | 'ended' | 'stale' | null {
  const { attempt } = event.request;
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) return judgeTombstone(firstRow<Tombstone>(event, 'tombstone'), attempt);
  if (row.key !== event.key) return 'ended';
  if (row.status === 'running' && row.attempt === attempt) return 'recorded';
  const newest = newestAttempt(row);
  if (attempt < newest) return 'stale';
  return attempt === newest || row.status === 'settled' ? 'ended' : null;
}

function judgeTombstone(tombstone: Tombstone | null, attempt: number): 'ended' | 'stale' | null {
  if (tombstone === null) return null;
  if (tombstone.attempt === attempt) return 'ended';
  return attempt < tombstone.attempt ? 'stale' : null;
}

/** The amount of the hold that this one replaces; null when it replaces none. Call only for judged requests. */
export function heldBefore(event: HoldOpen | JobHold): string | null {
  const row = firstRow<Generation>(event, 'generation');
  return row?.status === 'running' ? row.amount : null;
}

/** The amount the account can hold for this request, including the hold it replaces. */
export function accountRoom(state: AccountState, event: HoldOpen | JobHold): string {
  return withFreed(available(state), event);
}

/** As `accountRoom`, for the key's limit. Null when the key has no limit or has checked it itself. */
export function keyRoom(event: HoldOpen | JobHold): string | null {
  const room = event.room ?? null;
  return room === null ? null : withFreed(room, event);
}

/**
 * As `accountRoom`, for the budgets of the key's workspace; null without one. A hold that is replaced is freed where it
 * counted.
 */
export function workspaceRoom({ budgets }: AccountState, event: HoldOpen | JobHold): string | null {
  const room = budgetRoom(budgets, workspaceOf(event), event.at);
  if (room === null) return null;
  const row = firstRow<Generation>(event, 'generation');
  const isSame = row !== null && workspaceOf(row) === workspaceOf(event);
  return isSame ? withFreed(room, event) : room;
}

/** What other requests hold of the account's balance. */
export function accountHeld(state: AccountState, event: HoldOpen | JobHold): string {
  return withoutFreed(state.held, event);
}

/** As `accountHeld`, of the key's limit; absent where the key did not tell. */
export function keyHeld(event: HoldOpen | JobHold): string | undefined {
  return event.keyHeld === undefined ? undefined : withoutFreed(event.keyHeld, event);
}

/** As `accountHeld`, of the budgets of the key's workspace. */
export function workspaceHeld({ budgets }: AccountState, event: HoldOpen | JobHold): string {
  const workspace = workspaceOf(event);
  const held = budgets?.[workspace]?.held ?? '0';
  const row = firstRow<Generation>(event, 'generation');
  return row !== null && workspaceOf(row) === workspace ? withoutFreed(held, event) : held;
}

function withoutFreed(held: string, event: HoldOpen | JobHold): string {
  const freed = heldBefore(event);
  return freed === null ? held : subtract(held, freed);
}

function withFreed(left: string, event: HoldOpen | JobHold): string {
  const freed = heldBefore(event);
  return freed === null ? left : add(left, freed);
}

export type RaiseCase = 'recorded' | 'ended' | 'stale' | 'granted' | 'key-short' | 'budget-short' | 'account-short';

export function judgeRaise(state: AccountState, event: HoldRaise): RaiseCase {
  const { request, room } = event;
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const row = firstRow<Generation>(event, 'generation');
  if (row === null || row.status !== 'running' || row.key !== event.key) return 'ended';
  if (row.attempt === request.attempt) return 'recorded';
  if (row.attempt > request.attempt) return 'stale';
  const delta = subtract(request.amount, row.amount);
  if (compare(delta, '0') <= 0) return 'granted';
  if (room !== null && compare(delta, room) > 0) return 'key-short';
  const budget = raiseRoom(state, event, row);
  if (budget !== null && compare(delta, budget) > 0) return 'budget-short';
  return compare(delta, available(state)) > 0 ? 'account-short' : 'granted';
}

/** What the budgets of the hold's workspace leave; null without one. */
export function raiseRoom({ budgets }: AccountState, { at }: HoldRaise, row: Generation): string | null {
  return budgetRoom(budgets, workspaceOf(row), at);
}

/** Which limit refuses a raise that the key's own allows. */
export function raiseScope(state: AccountState, event: HoldRaise): 'account' | 'workspace' {
  return judgeRaise(state, event) === 'budget-short' ? 'workspace' : 'account';
}

export type SettleCase =
  /** Charged before under this attempt: returns the recorded charge. */
  | 'recorded'
  | 'charge'
  /** Released before: charged with the exact cost all the same. */
  | 'late'
  /**
   * Sent by an attempt that no longer holds the money or never did, or whose idempotency key a repeat has claimed after
   * the release.
   */
  | 'stale'
  | 'unknown'
  | 'malformed';

export function judgeSettle(event: HoldSettle): SettleCase {
  const { settlement } = event;
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) return 'unknown';
  if (row.attempt !== settlement.attempt) return 'stale';
  if (row.status === 'settled') return 'recorded';
  if (newestAttempt(row) > settlement.attempt) return 'stale';
  if (row.status === 'released' && otherClaim(event) !== null) return 'stale';
  if (!isCharge(settlement.cost)) return 'malformed';
  return row.status === 'running' ? 'charge' : 'late';
}

export type ReleaseCase =
  | 'recorded'
  | 'release'
  /** An older attempt tries to release a newer attempt's hold. */
  | 'stale'
  /** Released before by an older attempt: the row takes the newer number, so that a late admission of it is refused. */
  | 'supersede'
  /** Never admitted: a tombstone is written, so that a late admission is refused. */
  | 'unadmitted';

export function judgeRelease(event: HoldRelease): ReleaseCase {
  const { attempt } = event.release;
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) {
    const tombstone = firstRow<Tombstone>(event, 'tombstone');
    return judgeTombstone(tombstone, attempt) === null ? 'unadmitted' : 'recorded';
  }
  if (row.status === 'running') return attempt < row.attempt ? 'stale' : 'release';
  return row.status === 'released' && attempt > newestAttempt(row) ? 'supersede' : 'recorded';
}
