/** The stored state of a key: its identity, its limits and its sums. */
import type { KeyKind, Principal } from '../terms/principal.ts';
import type { LimitWindow } from '../terms/spending.ts';
import { NOTHING_SPENT, type Spending } from '../terms/spending.ts';
import { type RateCount, UNCOUNTED } from './rate.ts';

/** The states of the chart. */
export type KeyStatus = 'active' | 'disabled' | 'revoked';

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

/** A mutable copy of the state, from which a change builds the next one. */
export function nextOf(state: KeyState): { -readonly [member in keyof KeyState]: KeyState[member] } {
  return { ...state };
}

export function isExpired({ expiresAt }: KeyState, at: number): boolean {
  return expiresAt !== null && at >= expiresAt;
}
