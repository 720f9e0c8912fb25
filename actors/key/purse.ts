/** What a key keeps of itself: who it is, what it may spend, and sums. Every function is pure and returns the next purse. */
import { add, isUsd, subtract, usd } from '../terms/usd.ts';
import type { LimitWindow } from './calendar.ts';
import type { KeyCreate, KeyLimit, TurnAdmit } from './events.ts';
import { count, counted, type RateCount, UNCOUNTED } from './rate.ts';
import { NOTHING_SPENT, roomOf, type Spending, spend } from './spending.ts';

export interface Purse {
  /** Address of the key, and of its account. */
  readonly address: string;
  readonly account: string;
  /** HMAC of the key's digest; names its credential row. */
  readonly digest: string;
  /** Masked key text. */
  readonly label: string;
  readonly name: string;
  readonly kind: 'inference' | 'management';
  /** Exact decimal USD; null is no limit. Without a window it is for the key's whole life. */
  readonly limit: string | null;
  readonly limitWindow: LimitWindow | null;
  /** Store times, ms; `createdAt` is null only inside the step that creates it. */
  readonly expiresAt: number | null;
  readonly createdAt: number | null;
  /** The key's own bound on requests per minute; null takes what each event brings. */
  readonly perMinute: number | null;
  readonly spending: Spending;
  /** Open holds, exact decimal USD. */
  readonly held: string;
  readonly rate: RateCount;
}

export function emptyPurse(address: string, account: string): Purse {
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
    spending: NOTHING_SPENT,
    held: '0',
    rate: UNCOUNTED,
  };
}

/** The next purse, to be changed before anybody sees it; member by member for its shape, as the next book of an account. */
function nextOf(purse: Purse): { -readonly [member in keyof Purse]: Purse[member] } {
  return {
    address: purse.address,
    account: purse.account,
    digest: purse.digest,
    label: purse.label,
    name: purse.name,
    kind: purse.kind,
    limit: purse.limit,
    limitWindow: purse.limitWindow,
    expiresAt: purse.expiresAt,
    createdAt: purse.createdAt,
    perMinute: purse.perMinute,
    spending: purse.spending,
    held: purse.held,
    rate: purse.rate,
  };
}

export function issue(purse: Purse, event: KeyCreate): Purse {
  const { digest, label, name, kind, limit, limitWindow, expiresAt, perMinute, at } = event;
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new RangeError('a key is created with its digest, 64 hex digits');
  const next = nextOf(purse);
  next.digest = digest;
  next.label = label;
  next.name = name;
  next.kind = kind;
  next.limit = limit === null ? null : usd(limit);
  next.limitWindow = limitWindow;
  next.expiresAt = expiresAt;
  next.createdAt = at;
  next.perMinute = perMinute;
  return next;
}

export function relimit(purse: Purse, { limit, limitWindow }: KeyLimit): Purse {
  const next = nextOf(purse);
  next.limit = limit === null ? null : usd(limit);
  next.limitWindow = limitWindow;
  return next;
}

export function perMinuteOf(purse: Purse, event: { readonly perMinute: number }): number {
  return purse.perMinute ?? event.perMinute;
}

export function isOverRate(purse: Purse, event: { readonly perMinute: number; readonly at: number }): boolean {
  return counted(purse.rate, event.at) >= perMinuteOf(purse, event);
}

export function isExpired(purse: Purse, at: number): boolean {
  return purse.expiresAt !== null && at >= purse.expiresAt;
}

/** True when charges of the window, open holds and this amount together exceed the limit. */
export function exceedsLimit(purse: Purse, { request, at }: TurnAdmit): boolean {
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const room = roomOf(purse, at);
  return room !== null && subtract(room, request.amount).startsWith('-');
}

export function countRequest(purse: Purse, at: number): Purse {
  const next = nextOf(purse);
  next.rate = count(purse.rate, at);
  return next;
}

/** Counts the request and takes its hold: both fall if the account refuses, but the count stays. */
export function reserve(purse: Purse, { request, at }: TurnAdmit): Purse {
  const next = nextOf(purse);
  next.rate = count(purse.rate, at);
  next.held = add(purse.held, request.amount);
  return next;
}

/** `delta` may be negative. */
export function moveHeld(purse: Purse, delta: string): Purse {
  const next = nextOf(purse);
  next.held = add(purse.held, delta);
  return next;
}

export function giveBack(purse: Purse, amount: string): Purse {
  const next = nextOf(purse);
  next.held = subtract(purse.held, amount);
  return next;
}

export function charge(purse: Purse, { cost, held, at }: { cost: string; held: string; at: number }): Purse {
  const next = nextOf(purse);
  next.held = subtract(purse.held, held);
  next.spending = spend(purse.spending, cost, at);
  return next;
}
