/** The events of a workspace as its chart receives them. */
import type { Stamped } from '../runtime/index.ts';
import type { Principal } from '../terms/principal.ts';
import type { BudgetInterval, WorkspaceSettings } from '../terms/workspace.ts';

/** The address is the natural id; a repeat changes nothing. */
export type WorkspaceCreate = Stamped & {
  readonly type: 'workspace.create';
  readonly settings: WorkspaceSettings;
  readonly by?: Principal;
  /** Of the default workspace, which exists before it is stored; absent: created now, by `by`. */
  readonly origin?: WorkspaceOrigin;
};

export interface WorkspaceOrigin {
  readonly createdBy: Principal;
  /** Store time, ms. */
  readonly createdAt: number;
}

export type WorkspaceUpdate = Stamped & {
  readonly type: 'workspace.update';
  readonly change: Partial<WorkspaceSettings>;
  readonly by?: Principal;
};

/** Adds members, or changes the role of those that are members. Refused beyond the bound. */
export type MembersAdd = Stamped & {
  readonly type: 'workspace.members.add';
  readonly users: readonly string[];
  readonly role: 'admin' | 'member';
  readonly by?: Principal;
};

/** Refused while a key is assigned to one of them. */
export type MembersRemove = Stamped & {
  readonly type: 'workspace.members.remove';
  readonly users: readonly string[];
  readonly by?: Principal;
};

/** Sets the budget of an interval; null removes it. */
export type BudgetSet = Stamped & {
  readonly type: 'workspace.budget';
  readonly interval: BudgetInterval;
  readonly limit: string | null;
  readonly by?: Principal;
};

/** Refused for the default workspace and while keys belong to it. */
export type WorkspaceDelete = Stamped & { readonly type: 'workspace.delete'; readonly by?: Principal };

/** From a key, in the commit of its creation or move. Refused for a member that the workspace does not know. */
export type WorkspaceJoin = Stamped & { readonly type: 'workspace.join'; readonly member: string | null };
/** From a key, in the commit that revokes or moves it. */
export type WorkspaceLeave = Stamped & { readonly type: 'workspace.leave'; readonly member: string | null };
/** From a key whose assigned member changes. */
export type WorkspaceAssign = Stamped & {
  readonly type: 'workspace.assign';
  readonly from: string | null;
  readonly to: string | null;
};

export type WorkspaceEvent =
  | WorkspaceCreate
  | WorkspaceUpdate
  | MembersAdd
  | MembersRemove
  | BudgetSet
  | WorkspaceDelete
  | WorkspaceJoin
  | WorkspaceLeave
  | WorkspaceAssign;
