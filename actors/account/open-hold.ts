/**
 * Opens holds: for a turn, out of the account's balance, the budget of the key's workspace and, where the key left it to
 * the account, the key's limit; for a job in the commit that creates it, which a refusal undoes.
 */
import { assignOn, type Effect, emitOn, type RowRef, type Stamped, verdictOn } from '../runtime/index.ts';
import { firstRow, plain, refuse, reply } from '../terms/chart-tools.ts';
import type { Admission, HoldRequest } from '../terms/hold.ts';
import { isFirstHold } from '../terms/hold.ts';
import type { Refusal } from '../terms/refusal.ts';
import {
  fitsOnceReleased,
  type PaymentScope,
  paymentRequired,
  type Shortfall,
  UNAUTHENTICATED,
} from '../terms/refusal.ts';
import { add, compare, isUsd, subtract } from '../terms/usd.ts';
import { type AccountState, available, nextOf } from './account-state.ts';
import { budgetRoom, inBudget, workspaceOf } from './budgets.ts';
import { generationOf, generationRef, newestAttempt, opened, reopened, STALE } from './generation.ts';
import { type Claim, claimRefs, otherClaim, putClaim, refusalOf } from './idempotency.ts';
import { sweepAt, sweepBy } from './sweep-holds.ts';
import { judgeTombstone, type Tombstone, tombstoneRef } from './tombstone.ts';

interface Hold extends Stamped {
  readonly request: HoldRequest;
  /** Address of the key. */
  readonly key: string;
  /**
   * The rest of the key's limit (USD, null without a limit) when the key has reserved nothing: this hold may replace
   * one that the key already counts, and only the account can tell. Absent when the key has reserved the amount.
   */
  readonly room?: string | null;
  /** The sum of the key's open holds; present and absent as `room` is. */
  readonly keyHeld?: string;
  /** The workspace of the key; absent: the default one. */
  readonly workspace?: string;
}

/** From a key, committed together with the key's step. `perMinute` is passed back with a renewed admission. */
export interface HoldOpen extends Hold {
  readonly type: 'hold.open';
  readonly perMinute: number;
}

/** From a key, for a job in the commit that creates it: granted without an answer, or the submission is undone. */
interface JobHold extends Hold {
  readonly type: 'job.hold';
}
export type OpenEvent = HoldOpen | JobHold;
const OPENS = ['hold.open', 'job.hold'] as const;

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

export function judgeOpen(state: AccountState, event: OpenEvent): OpenCase {
  const { request } = event;
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const known = judgeRecord(event);
  if (known !== null) return known;
  if (request.repeat) return 'unrecorded';
  if (otherClaim(event, request.generation) !== null) return 'claimed';
  const room = keyRoom(event);
  if (room !== null && compare(request.amount, room) > 0) return 'key-short';
  const budget = workspaceRoom(state, event);
  if (budget !== null && compare(request.amount, budget) > 0) return 'budget-short';
  return compare(request.amount, accountRoom(state, event)) > 0 ? 'short' : 'granted';
}

/** The case that the records decide for this attempt; null when they leave it open. */
function judgeRecord(event: OpenEvent): 'recorded' | 'ended' | 'stale' | null {
  const { attempt } = event.request;
  const row = generationOf(event);
  if (row === null) return judgeTombstone(firstRow<Tombstone>(event, 'tombstone'), attempt);
  if (row.key !== event.key) return 'ended';
  if (row.status === 'running' && row.attempt === attempt) return 'recorded';
  const newest = newestAttempt(row);
  if (attempt < newest) return 'stale';
  return attempt === newest || row.status === 'settled' ? 'ended' : null;
}

/** The amount of the hold that this one replaces; null when it replaces none. Call only for judged requests. */
function heldBefore(event: OpenEvent): string | null {
  const row = generationOf(event);
  return row?.status === 'running' ? row.amount : null;
}

/** The amount the account can hold for this request, including the hold it replaces. */
function accountRoom(state: AccountState, event: OpenEvent): string {
  return withFreed(available(state), event);
}

/** As `accountRoom`, for the key's limit. Null when the key has no limit or has checked it itself. */
function keyRoom(event: OpenEvent): string | null {
  const room = event.room ?? null;
  return room === null ? null : withFreed(room, event);
}

/**
 * As `accountRoom`, for the budgets of the key's workspace; null without one. A hold that is replaced is freed where it
 * counted.
 */
function workspaceRoom({ budgets }: AccountState, event: OpenEvent): string | null {
  const room = budgetRoom(budgets, workspaceOf(event), event.at);
  return room === null || !countsInWorkspace(event) ? room : withFreed(room, event);
}

function countsInWorkspace(event: OpenEvent): boolean {
  const row = generationOf(event);
  return row !== null && workspaceOf(row) === workspaceOf(event);
}

function withFreed(left: string, event: OpenEvent): string {
  const freed = heldBefore(event);
  return freed === null ? left : add(left, freed);
}

function withoutFreed(held: string, event: OpenEvent): string {
  const freed = heldBefore(event);
  return freed === null ? held : subtract(held, freed);
}

interface Scope {
  readonly scope: PaymentScope;
}

/** What the exhausted limit leaves, and what other requests hold of it. */
function shortfall(state: AccountState, event: OpenEvent, { scope }: Scope): Shortfall {
  const { amount: required } = event.request;
  if (scope === 'account') {
    return { required, available: accountRoom(state, event), held: withoutFreed(state.held, event) };
  }
  if (scope === 'key') {
    const { keyHeld } = event;
    return {
      required,
      available: keyRoom(event) ?? '0',
      held: keyHeld === undefined ? undefined : withoutFreed(keyHeld, event),
    };
  }
  const held = state.budgets?.[workspaceOf(event)]?.held ?? '0';
  return {
    required,
    available: workspaceRoom(state, event) ?? '0',
    held: countsInWorkspace(event) ? withoutFreed(held, event) : held,
  };
}

/** Adds a hold, or replaces the hold of an older attempt. */
function hold(state: AccountState, event: OpenEvent): AccountState {
  const { amount, deadlineAt } = event.request;
  const next = nextOf(state);
  next.nextSweepAt = sweepBy(state, deadlineAt);
  const row = generationOf(event);
  if (row?.status !== 'running') {
    next.held = add(state.held, amount);
    next.holds++;
    return inBudget(next, event, amount);
  }
  next.held = add(state.held, subtract(amount, row.amount));
  return inBudget(inBudget(next, row, subtract('0', row.amount)), event, amount);
}

function recordHold(state: AccountState, event: HoldOpen): Effect[] {
  const { generation, attempt, amount, deadlineAt } = event.request;
  const row = generationOf(event);
  const held = row === null ? opened(event) : reopened(row, event);
  return [
    { type: 'put', collection: 'generation', id: generation, body: plain(held) },
    ...putClaim(held, 'running'),
    ...sweepAt(state, deadlineAt),
    ...takeFromKey(event),
    reply({ admitted: true, generation, attempt, amount } satisfies Admission),
  ];
}

/**
 * For a later attempt the key has reserved nothing: it adds to its held sum the difference between this hold and the
 * one it replaces.
 */
function takeFromKey(event: HoldOpen): Effect[] {
  if (event.room === undefined) return [];
  const delta = subtract(event.request.amount, heldBefore(event) ?? '0');
  return [{ type: 'send', to: event.key, event: { type: 'hold.moved', delta } }];
}

/** The hold of a job, which answers itself. */
function recordJobHold(state: AccountState, event: JobHold): Effect[] {
  const { generation, deadlineAt } = event.request;
  const row: Effect = { type: 'put', collection: 'generation', id: generation, body: plain(opened(event)) };
  return [row, ...sweepAt(state, deadlineAt)];
}

/** The answer for a recorded hold. The amount the key reserved for a second delivery is returned to it. */
function answerHold(_: AccountState, event: HoldOpen): Effect[] {
  return [...giveBack(event), reply(recordedAdmission(event))];
}

/** The recorded answer for this attempt; 409 when the hold has ended or moved on. */
export function recordedAdmission(event: Stamped & { readonly request: HoldRequest; readonly key: string }): Admission {
  const row = generationOf(event);
  const { generation, attempt } = event.request;
  if (row?.status === 'running' && row.attempt === attempt && row.key === event.key) {
    return { admitted: true, generation, attempt, amount: row.amount };
  }
  const refusal: Refusal = { status: 409, type: 'conflict', message: `Generation ${generation} is no longer held` };
  return { admitted: false, refusal };
}

/** Answers `refusal`; the key takes back the amount it reserved. */
function refuseHold(event: HoldOpen, refusal: Refusal): Effect[] {
  return [...giveBack(event), reply({ admitted: false, refusal } satisfies Admission)];
}

function giveBack({ request, key, room }: HoldOpen): Effect[] {
  if (request.repeat || room !== undefined) return [];
  return [{ type: 'send', to: key, event: { type: 'hold.refused', amount: request.amount } }];
}

function refuseShort(state: AccountState, event: HoldOpen, scope: Scope): Effect[] {
  return refuseHold(event, paymentRequired(scope.scope, shortfall(state, event, scope)));
}

/** The key stands for another generation: nothing is held, and nothing is served again. */
function refuseClaimed(_: AccountState, event: HoldOpen): Effect[] {
  return refuseHold(event, refusalOf(firstRow<Claim>(event, 'claim') as Claim, event.request.idempotency));
}

/** A job costs what it costs, so `held` is named only where a repeat may succeed. Turns: `gateway/inference/hold.ts`. */
function refuseJobShort(state: AccountState, event: JobHold, scope: Scope): Effect {
  const short = shortfall(state, event, scope);
  const { required, available } = short;
  return refuse(paymentRequired(scope.scope, fitsOnceReleased(short) ? short : { required, available }));
}

/** A repeat without a record is sent back to its key, which admits it as a first delivery. */
function renew(_: AccountState, { request, key, perMinute }: HoldOpen): Effect {
  const event = { type: 'turn.admit', request: plain({ ...request, repeat: false }), perMinute };
  return { type: 'send', to: key, event };
}

/** Reads a stored (ended) row only where one may exist: for a repeat, and for every attempt after the first. */
function openedRef({ generation, attempt, repeat }: HoldRequest): RowRef {
  return generationRef(generation, repeat || !isFirstHold(attempt));
}

export const rows = {
  'hold.open': ({ request }: HoldOpen): readonly RowRef[] => [
    openedRef(request),
    tombstoneRef(request.generation),
    ...claimRefs(request.idempotency?.key),
  ],
  'job.hold': ({ request }: JobHold): readonly RowRef[] => [openedRef(request), tombstoneRef(request.generation)],
};

export const guards = {
  openIs: verdictOn(OPENS, judgeOpen),
};

export const actions = {
  hold: assignOn(OPENS, hold),
  recordHold: emitOn('hold.open', recordHold),
  recordJobHold: emitOn('job.hold', recordJobHold),
  answerHold: emitOn('hold.open', answerHold),
  renew: emitOn('hold.open', renew),
  refuseShort: emitOn('hold.open', refuseShort),
  refuseClaimed: emitOn('hold.open', refuseClaimed),
  refuseStaleOpen: emitOn('hold.open', (_: AccountState, event: HoldOpen) => refuseHold(event, STALE)),
  refuseSuspended: emitOn('hold.open', (_: AccountState, event: HoldOpen) => refuseHold(event, UNAUTHENTICATED)),
  refuseJobShort: emitOn('job.hold', refuseJobShort),
  refuseSuspendedJob: emitOn('*', () => refuse(UNAUTHENTICATED)),
};
