/**
 * The events of an account as its chart receives them, each with the event's time and the rows that the kind requested.
 */
import type { Stamped } from '../runtime/index.ts';
import type { HoldRequest, Idempotency, Release, Settlement } from '../terms/hold.ts';
import type { DepositSource } from '../terms/payment.ts';
import type { Principal } from '../terms/principal.ts';
import type { BudgetLimits } from '../terms/workspace.ts';

/**
 * From a key, committed together with the key's step. `key` is the key's address; `perMinute` is passed back with a
 * renewed admission.
 */
export type HoldOpen = Stamped & {
  readonly type: 'hold.open';
  readonly request: HoldRequest;
  readonly key: string;
  readonly perMinute: number;
  /**
   * The rest of the key's limit (USD, null without a limit) when the key has reserved nothing: this hold may replace
   * one that the key already counts, and only the account can tell. Absent when the key has reserved the amount.
   */
  readonly room?: string | null;
  /** The sum of the key's open holds; present and absent as `room` is. */
  readonly keyHeld?: string;
  /** The workspace of the key; absent: the default one. */
  readonly workspace?: string;
};

/** From a key, for a job in the commit that creates it: granted without an answer, or the submission is undone. */
export type JobHold = Stamped & {
  readonly type: 'job.hold';
  readonly request: HoldRequest;
  readonly key: string;
  /** As in `HoldOpen`, both. */
  readonly room?: string | null;
  readonly keyHeld?: string;
  readonly workspace?: string;
};

/** From a job in the commit that creates it; refused where its idempotency key was used before. */
export type SubmissionClaim = Stamped & {
  readonly type: 'submission.claim';
  /** Id of the job. */
  readonly submission: string;
  readonly idempotency: Idempotency;
};

/** From a key: a hold moves to another endpoint. `room` is the rest of the key's limit (USD); null without a limit. */
export type HoldRaise = Stamped & {
  readonly type: 'hold.raise';
  readonly request: HoldRequest;
  readonly key: string;
  readonly room: string | null;
  /** The sum of the key's open holds. */
  readonly keyHeld: string;
};

export type HoldSettle = Stamped & { readonly type: 'hold.settle'; readonly settlement: Settlement };
export type HoldRelease = Stamped & { readonly type: 'hold.release'; readonly release: Release };

/** Timer of the sweep. */
export type HoldsSweep = Stamped & { readonly type: 'holds.sweep' };

/** A gateway's node is dead: its open holds will never be settled. */
export type GatewayLost = Stamped & { readonly type: 'gateway.lost'; readonly incarnation: string };

/** `deposit` is the natural id: a repeat returns what was recorded. */
export type DepositCredit = Stamped & {
  readonly type: 'deposit.credit';
  readonly deposit: string;
  readonly amount: string;
  /** From an operator: why. */
  readonly reason?: string;
  /** Recorded in the audit log, as the second person who approved it. */
  readonly by?: Principal;
  readonly approvedBy?: string;
  /** Present for a payment, whose actor receives the outcome. */
  readonly source?: DepositSource;
};

/** `amount` may have a minus sign. `adjustment` is the natural id. */
export type AdjustmentRecord = Stamped & {
  readonly type: 'adjustment.record';
  readonly adjustment: string;
  readonly amount: string;
  readonly reason: string;
  readonly by?: Principal;
  readonly approvedBy?: string;
};

/** Sets the threshold of the notice of a low balance, exact decimal USD; null ends it. */
export type NoticeSet = Stamped & {
  readonly type: 'notice.set';
  readonly lowBalance: string | null;
  readonly by?: Principal;
};

/** From a file, in the commit that stores it; refused if the account would have more than `bytesMax` stored. */
export type StorageTake = Stamped & {
  readonly type: 'storage.take';
  readonly bytes: number;
  readonly bytesMax: number;
};

/** From a file, in the commit that removes it. */
export type StorageGive = Stamped & { readonly type: 'storage.give'; readonly bytes: number };

/** `releases` name at most as many generations as an account has slots. */
export type HoldsRelease = Stamped & {
  readonly type: 'holds.release';
  readonly key: string;
  readonly releases: readonly Release[];
};

/** From a batch in the commit that creates it; refused with 429, or where the idempotency key was used before. */
export type QueueJoin = Stamped & {
  readonly type: 'queue.join';
  readonly batch: string;
  readonly wants: number;
  readonly idempotency?: Idempotency;
};

/** From a batch: its slots and wishes after a change. */
export type SlotUpdate = Stamped & {
  readonly type: 'slot.update';
  readonly batch: string;
  readonly slots: number;
  readonly wants: number;
};

/** From a batch in the commit that ends it. */
export type QueueLeave = Stamped & { readonly type: 'queue.leave'; readonly batch: string };

/** From a workspace, by its id or as `DEFAULT_WORKSPACE`, in the commit that creates it; refused beyond the bound. */
export type WorkspaceOpened = Stamped & { readonly type: 'workspace.opened'; readonly workspace: string };
/** From a workspace in the commit that ends it: its sums and its budget end too. */
export type WorkspaceClosed = Stamped & { readonly type: 'workspace.closed'; readonly workspace: string };
/** From a workspace: its limits after a change; none removes its budget. */
export type BudgetLimited = Stamped & {
  readonly type: 'budget.set';
  readonly workspace: string;
  readonly limits: BudgetLimits;
};

/** An operator's switch: a suspended account is answered 401 until it is resumed. */
export type AccountSwitch = Stamped & {
  readonly type: 'account.suspend' | 'account.resume';
  readonly by?: Principal;
};

export type AccountEvent =
  | HoldOpen
  | JobHold
  | SubmissionClaim
  | HoldRaise
  | HoldSettle
  | HoldRelease
  | HoldsSweep
  | GatewayLost
  | DepositCredit
  | AdjustmentRecord
  | NoticeSet
  | StorageTake
  | StorageGive
  | HoldsRelease
  | QueueJoin
  | SlotUpdate
  | QueueLeave
  | (Stamped & { readonly type: 'account.create'; readonly name: string })
  | AccountSwitch
  | WorkspaceOpened
  | WorkspaceClosed
  | BudgetLimited
  | (Stamped & { readonly type: 'account.show' })
  /** From a key that counted a request: asks whether the account may send requests (open) or not (suspended). */
  | (Stamped & { readonly type: 'account.standing' })
  /** From a key in the commit that creates it. */
  | (Stamped & { readonly type: 'key.issued'; readonly key: string; readonly label: string });
