/** The words that workspaces, accounts and gateways share. */

import type { Principal } from './principal.ts';
import type { LimitWindow } from './spending.ts';

/** What the turns of a workspace's keys are routed by. */
export interface WorkspaceRouting {
  /** Only endpoints vetted for zero data retention; a request cannot loosen it. */
  readonly zeroRetention: boolean;
  /** How the endpoints of several requested models are tried where a turn does not say. */
  readonly partition: 'model' | 'none';
  /** Provider slugs or endpoint tags: the only ones that may serve; null allows all. */
  readonly allowed: readonly string[] | null;
  /** Provider slugs or endpoint tags that never serve. */
  readonly ignored: readonly string[];
}

export interface WorkspaceSettings extends WorkspaceRouting {
  readonly name: string;
  /** Names the workspace in paths, as its id does. */
  readonly slug: string;
  readonly description: string | null;
}

export interface WorkspaceMember {
  /** Id of the person, chosen by the account. */
  readonly user: string;
  readonly role: 'admin' | 'member';
  /** Store time, ms. */
  readonly createdAt: number;
  /** Keys of the workspace that are assigned to the member. The default workspace does not count them. */
  readonly keys: number;
}

/** A window of a budget, UTC; `lifetime` never resets. */
export type BudgetInterval = LimitWindow | 'lifetime';
export const BUDGET_INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const satisfies BudgetInterval[];

/** The limits of a workspace by interval, exact decimal USD. */
export type BudgetLimits = { readonly [interval in BudgetInterval]?: string };

export interface WorkspaceBudget {
  readonly interval: BudgetInterval;
  /** Exact decimal USD. */
  readonly limit: string;
  /** Store times, ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The row of a workspace, and the answer to each change. */
export interface WorkspaceRecord extends WorkspaceSettings {
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  readonly isDefault: boolean;
  readonly members: readonly WorkspaceMember[];
  readonly budgets: readonly WorkspaceBudget[];
  /** Keys that are not revoked; the default workspace does not count its keys. */
  readonly keys: number;
  readonly createdBy: Principal;
  /** Store times, ms; `updatedAt` is null before the first change. */
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Names the default workspace in the sums of its account: its id takes a digest to derive. */
export const DEFAULT_WORKSPACE = '';

/** Bounds. Workspaces of one account, the default one included; members of a workspace. */
export const WORKSPACES_MAX = 100;
export const WORKSPACE_MEMBERS_MAX = 100;
