/**
 * The stored state of a key: its identity, its limits and its sums. Every function is pure and returns the next state.
 */

import type { KeyKind, Principal } from '../terms/principal.ts';
import type { LimitWindow } from '../terms/spending.ts';
import { NOTHING_SPENT, roomOf, type Spending, spend } from '../terms/spending.ts';
import { add, isUsd, subtract, usd } from '../terms/usd.ts';
import type { JobAdmit, KeyCount, KeyCreate, KeyEdited, KeyLimit, KeyMove, TurnAdmit } from './events.ts';
import { count, counted, type RateCount, UNCOUNTED } from './rate.ts';

export interface KeyState {
  /** Address of the key, and of its account. */
  readonly address: string;
  readonly account: string;
  /** HMAC of the key's digest; names its credential row. */
  readonly digest: string;
  /** Masked key text. */
  readonly label: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** Exact decimal USD; null is no limit. Without a window the limit covers the key's whole life. */
  readonly limit: string | null;
  /** Without a limit it has no effect. */
  readonly limitWindow: LimitWindow | null;
  /** Store times, ms; `createdAt` is null only inside the step that creates it. */
  readonly expiresAt: number | null;
  readonly createdAt: number | null;
  /** The key's own bound on requests per minute; null uses the bound of each event. */
  readonly perMinute: number | null;
  /** Public handle, 64 hex. */
  readonly handle: string;
  /** Id of its workspace; null: the default one of the account. */
  readonly workspace: string | null;
  /** Id of the assigned member; null without one. */
  readonly member: string | null;
  /** Origin of the callback to which an approval in the browser issued the key; null for any other key. */
  readonly origin: string | null;
  /** Who created it; null where the event named nobody. */
  readonly createdBy: Principal | null;
  /** Store time, ms, of the last change; null without one. */
  readonly updatedAt: number | null;
  readonly spending: Spending;
  /** Sum of open holds, exact decimal USD. */
  readonly held: string;
  readonly rate: RateCount;
}

export function emptyKey(address: string, account: string): KeyState {
  return {
    address,
    account,
    digest: '',
    label: '',
    name: '',
    kind: 'inference',
    limit: null,
    limitWindow: null,
    expiresAt: null,
    createdAt: null,
    perMinute: null,
    handle: '',
    workspace: null,
    member: null,
    origin: null,
    createdBy: null,
    updatedAt: null,
    spending: NOTHING_SPENT,
    held: '0',
    rate: UNCOUNTED,
  };
}

/**
 * A mutable copy of the state for the reducer that builds the next one; member by member, for the reason given in
 * `account-state.ts`.
 */
function nextOf(state: KeyState): { -readonly [member in keyof KeyState]: KeyState[member] } {
  return {
    address: state.address,
    account: state.account,
    digest: state.digest,
    label: state.label,
    name: state.name,
    kind: state.kind,
    limit: state.limit,
    limitWindow: state.limitWindow,
    expiresAt: state.expiresAt,
    createdAt: state.createdAt,
    perMinute: state.perMinute,
    handle: state.handle,
    workspace: state.workspace,
    member: state.member,
    origin: state.origin,
    createdBy: state.createdBy,
    updatedAt: state.updatedAt,
    spending: state.spending,
    held: state.held,
    rate: state.rate,
  };
}

export function issue(state: KeyState, event: KeyCreate): KeyState {
  const { digest, label, name, kind, limit, limitWindow, expiresAt, perMinute, at } = event;
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new RangeError('a key digest must be 64 lower case hex digits');
  const next = nextOf(state);
  next.digest = digest;
  next.label = label;
  next.name = name;
  next.kind = kind;
  next.limit = limit === null ? null : usd(limit);
  next.limitWindow = limitWindow;
  next.expiresAt = expiresAt;
  next.createdAt = at;
  next.perMinute = perMinute;
  next.handle = event.handle;
  next.workspace = event.workspace ?? null;
  next.member = event.member ?? null;
  next.origin = event.origin ?? null;
  next.createdBy = event.by ?? null;
  return next;
}

export function relimit(state: KeyState, { limit, limitWindow, at }: KeyLimit): KeyState {
  const next = nextOf(state);
  next.limit = limit === null ? null : usd(limit);
  next.limitWindow = limitWindow;
  next.updatedAt = at;
  return next;
}

/** Sets what the change names. A window without a limit has no effect and stays for a later limit. */
export function edit(state: KeyState, { edit: change, at }: KeyEdited): KeyState {
  const next = nextOf(state);
  const { name, limit, limitWindow, expiresAt, member } = change;
  if (name !== undefined) next.name = name;
  if (limit !== undefined) next.limit = limit === null ? null : usd(limit);
  if (limitWindow !== undefined) next.limitWindow = limitWindow;
  if (expiresAt !== undefined) next.expiresAt = expiresAt;
  if (member !== undefined) next.member = member;
  next.updatedAt = at;
  return next;
}

export function move(state: KeyState, { workspace, at }: KeyMove): KeyState {
  const next = nextOf(state);
  next.workspace = workspace;
  next.updatedAt = at;
  return next;
}

/** Notes the time of a switch. */
export function touch(state: KeyState, at: number): KeyState {
  const next = nextOf(state);
  next.updatedAt = at;
  return next;
}

/** True for a request of a job that was accepted in another workspace. (spec: inference, Batch rules 7) */
export function hasMoved(state: KeyState, { request }: TurnAdmit): boolean {
  return request.workspace !== undefined && request.workspace !== state.workspace;
}

export function perMinuteOf(state: KeyState, event: { readonly perMinute: number }): number {
  return state.perMinute ?? event.perMinute;
}

/** A request that was counted before is never over the rate. */
export function isOverRate(state: KeyState, event: TurnAdmit | KeyCount): boolean {
  return !isCounted(event) && counted(state.rate, event.at) >= perMinuteOf(state, event);
}

function isCounted(event: TurnAdmit | JobAdmit | KeyCount): boolean {
  return event.type === 'job.admit' || (event.type === 'turn.admit' && event.request.counted === true);
}

export function isExpired(state: KeyState, at: number): boolean {
  return state.expiresAt !== null && at >= state.expiresAt;
}

/** True when charges of the window, open holds and this amount together exceed the limit. */
export function exceedsLimit(state: KeyState, { request, at }: TurnAdmit | JobAdmit): boolean {
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const room = roomOf(state, at);
  return room !== null && subtract(room, request.amount).startsWith('-');
}

/** Counts the request unless it was counted before. */
export function countRequest(state: KeyState, event: TurnAdmit | KeyCount): KeyState {
  if (isCounted(event)) return state;
  const next = nextOf(state);
  next.rate = count(state.rate, event.at);
  return next;
}

/**
 * Counts the request, unless it was counted before, and reserves its hold. When the account refuses, the reservation is
 * undone but the count stays.
 */
export function reserve(state: KeyState, event: TurnAdmit | JobAdmit): KeyState {
  const next = nextOf(state);
  if (!isCounted(event)) next.rate = count(state.rate, event.at);
  next.held = add(state.held, event.request.amount);
  return next;
}

/** `delta` may be negative. */
export function moveHeld(state: KeyState, delta: string): KeyState {
  const next = nextOf(state);
  next.held = add(state.held, delta);
  return next;
}

export function giveBack(state: KeyState, amount: string): KeyState {
  const next = nextOf(state);
  next.held = subtract(state.held, amount);
  return next;
}

export function charge(state: KeyState, { cost, held, at }: { cost: string; held: string; at: number }): KeyState {
  const next = nextOf(state);
  next.held = subtract(state.held, held);
  next.spending = spend(state.spending, cost, at);
  return next;
}
