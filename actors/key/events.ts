/** What a key is told, as its chart sees it. `perMinute` is the configured bound, used where the key has none of its own. */
import type { Stamped } from '../runtime/index.ts';
import type { HoldRequest } from '../terms/hold.ts';
import type { LimitWindow } from './calendar.ts';

/** Creates the key. The natural id is its address; `digest` is what is stored of its text. */
export type KeyCreate = Stamped & {
  readonly type: 'key.create';
  readonly digest: string;
  readonly label: string;
  readonly name: string;
  readonly kind: 'inference' | 'management';
  readonly limit: string | null;
  readonly limitWindow: LimitWindow | null;
  readonly expiresAt: number | null;
  readonly perMinute: number | null;
};

export type TurnAdmit = Stamped & {
  readonly type: 'turn.admit';
  readonly request: HoldRequest;
  readonly perMinute: number;
};

/** The turn moves to another endpoint; `request.attempt` is higher than the one that holds. */
export type TurnRaise = Stamped & { readonly type: 'turn.raise'; readonly request: HoldRequest };

export type KeyCount = Stamped & { readonly type: 'key.count'; readonly perMinute: number };

export type KeyLimit = Stamped & {
  readonly type: 'key.limit';
  readonly limit: string | null;
  readonly limitWindow: LimitWindow | null;
};

/** From the account, in one commit with its own step. Amounts are exact decimal USD. */
export type FromAccount =
  /** A hold was charged: `held` of it goes, `cost` is spent. */
  | (Stamped & { readonly type: 'spend.record'; readonly cost: string; readonly held: string })
  /** `count` holds of `amount` in all ended without a charge. */
  | (Stamped & { readonly type: 'hold.closed'; readonly amount: string; readonly count: number })
  /** A hold was replaced by one that differs by `delta`, or a later attempt opened one of `delta` anew. */
  | (Stamped & { readonly type: 'hold.moved'; readonly delta: string })
  /** The account took no hold: what the key took goes back. */
  | (Stamped & { readonly type: 'hold.refused'; readonly amount: string });

export type KeyEvent =
  | KeyCreate
  | TurnAdmit
  | TurnRaise
  | KeyCount
  | KeyLimit
  | FromAccount
  | (Stamped & { readonly type: 'key.show' })
  | (Stamped & { readonly type: 'key.disable' })
  | (Stamped & { readonly type: 'key.enable' })
  | (Stamped & { readonly type: 'key.revoke' });
