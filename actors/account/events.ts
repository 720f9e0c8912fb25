/** What an account is told, as its chart sees it: each with the time of the event and the rows the kind named for it. */
import type { Stamped } from '../runtime/index.ts';
import type { HoldRequest, Release, Settlement } from '../terms/hold.ts';

/** From a key, in one commit with its own step. `key` is the key's address; `perMinute` returns with a renewed admit. */
export type HoldOpen = Stamped & {
  readonly type: 'hold.open';
  readonly request: HoldRequest;
  readonly key: string;
  readonly perMinute: number;
  /**
   * What the key's limit leaves (USD, null without a limit), where the key has reserved nothing: the hold may take over
   * one that the key counts already, which only the account knows. Absent where the key has reserved the amount.
   */
  readonly room?: string | null;
};

/** From a key: a hold moves to another endpoint. `room` is what the key's limit leaves (USD); null without a limit. */
export type HoldRaise = Stamped & {
  readonly type: 'hold.raise';
  readonly request: HoldRequest;
  readonly key: string;
  readonly room: string | null;
};

export type HoldSettle = Stamped & { readonly type: 'hold.settle'; readonly settlement: Settlement };
export type HoldRelease = Stamped & { readonly type: 'hold.release'; readonly release: Release };

/** The sweep's own timer. */
export type HoldsSweep = Stamped & { readonly type: 'holds.sweep' };

/** A gateway's node is dead: nobody will settle what it held. */
export type GatewayLost = Stamped & { readonly type: 'gateway.lost'; readonly incarnation: string };

/** `deposit` is the natural id: a repeat answers what was recorded. */
export type DepositCredit = Stamped & {
  readonly type: 'deposit.credit';
  readonly deposit: string;
  readonly amount: string;
};

/** `amount` may carry a minus sign. `adjustment` is the natural id. */
export type AdjustmentRecord = Stamped & {
  readonly type: 'adjustment.record';
  readonly adjustment: string;
  readonly amount: string;
  readonly reason: string;
};

export type AccountEvent =
  | HoldOpen
  | HoldRaise
  | HoldSettle
  | HoldRelease
  | HoldsSweep
  | GatewayLost
  | DepositCredit
  | AdjustmentRecord
  | (Stamped & { readonly type: 'account.create'; readonly name: string })
  | (Stamped & { readonly type: 'account.suspend' })
  | (Stamped & { readonly type: 'account.resume' })
  | (Stamped & { readonly type: 'account.show' })
  /** From a key that counted a request: may its owner ask at all? */
  | (Stamped & { readonly type: 'account.standing' })
  /** From a key in the commit that creates it. */
  | (Stamped & { readonly type: 'key.issued'; readonly key: string; readonly label: string });
