/**
 * The events of a key as its chart receives them. `perMinute` is the configured bound, used when the key has no bound
 * of its own.
 */
import type { Stamped } from '../runtime/index.ts';
import type { HoldRequest } from '../terms/hold.ts';
import type { KeyKind, Principal } from '../terms/principal.ts';
import type { LimitWindow } from '../terms/spending.ts';
import type { UsagePart } from '../terms/usage.ts';

/** Creates the key. Its address is the natural id; `digest` is the stored digest of its text. */
export type KeyCreate = Stamped & {
  readonly type: 'key.create';
  readonly digest: string;
  readonly label: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly limit: string | null;
  readonly limitWindow: LimitWindow | null;
  readonly expiresAt: number | null;
  readonly perMinute: number | null;
  readonly handle: string;
  readonly workspace?: string | null;
  readonly member?: string | null;
  readonly origin?: string | null;
  readonly by?: Principal;
};

export type TurnAdmit = Stamped & {
  readonly type: 'turn.admit';
  readonly request: HoldRequest;
  readonly perMinute: number;
};

/**
 * From a job in the commit that creates it, whose route has counted the request: asks for its hold. A refusal undoes the
 * submission; nothing is answered.
 */
export type JobAdmit = Stamped & { readonly type: 'job.admit'; readonly request: HoldRequest };

/** The turn moves to another endpoint; `request.attempt` is higher than the attempt that holds. */
export type TurnRaise = Stamped & { readonly type: 'turn.raise'; readonly request: HoldRequest };

export type KeyCount = Stamped & { readonly type: 'key.count'; readonly perMinute: number };

export type KeyLimit = Stamped & {
  readonly type: 'key.limit';
  readonly limit: string | null;
  readonly limitWindow: LimitWindow | null;
  readonly by?: Principal;
};

/** What a change of a key may set; an absent member stays as it is. */
export interface KeyEdit {
  readonly name?: string;
  /** Exact decimal USD; null removes the limit. */
  readonly limit?: string | null;
  readonly limitWindow?: LimitWindow | null;
  /** Store time, ms; null: the key does not expire. */
  readonly expiresAt?: number | null;
  /** Id of the assigned member; null assigns nobody. */
  readonly member?: string | null;
  readonly disabled?: boolean;
}

export type KeyEdited = Stamped & { readonly type: 'key.edit'; readonly edit: KeyEdit; readonly by?: Principal };

/** Moves the key to another workspace of its account; null: the default one. */
export type KeyMove = Stamped & {
  readonly type: 'key.move';
  readonly workspace: string | null;
  readonly by?: Principal;
};

/** Revoked keys stay revoked. */
export type KeySwitch = Stamped & {
  readonly type: 'key.disable' | 'key.enable' | 'key.revoke';
  readonly by?: Principal;
};

/** From the account: a hold was charged. `held` is freed, `cost` is spent. */
export type SpendRecord = Stamped & {
  readonly type: 'spend.record';
  readonly cost: string;
  readonly held: string;
  readonly part: UsagePart;
};

/** From the account, committed together with its step. Amounts are exact decimal USD. */
export type FromAccount =
  | SpendRecord
  /** `count` holds with a sum of `amount` ended without a charge. */
  | (Stamped & { readonly type: 'hold.closed'; readonly amount: string; readonly count: number })
  /** A hold was replaced by one that differs by `delta`, or a later attempt opened another of `delta`. */
  | (Stamped & { readonly type: 'hold.moved'; readonly delta: string })
  /** The account refused the hold: the key frees the amount it reserved. */
  | (Stamped & { readonly type: 'hold.refused'; readonly amount: string });

/** The key's own timer: the day of some usage rows has ended. */
export type UsageClose = Stamped & { readonly type: 'usage.close' };

export type KeyEvent =
  | UsageClose
  | KeyCreate
  | TurnAdmit
  | JobAdmit
  | TurnRaise
  | KeyCount
  | KeyLimit
  | FromAccount
  | KeySwitch
  | KeyEdited
  | KeyMove
  | (Stamped & { readonly type: 'key.show' });
