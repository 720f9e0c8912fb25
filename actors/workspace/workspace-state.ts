/** The stored state of a workspace. Every function is pure and returns the next state, or tells why it may not. */
import { ownerOf } from '../runtime/index.ts';
import { defaultWorkspaceId } from '../terms/ids.ts';
import { UNNAMED } from '../terms/principal.ts';
import { usd } from '../terms/usd.ts';
import {
  BUDGET_INTERVALS,
  type BudgetLimits,
  WORKSPACE_MEMBERS_MAX,
  type WorkspaceBudget,
  type WorkspaceMember,
  type WorkspaceRecord,
} from '../terms/workspace.ts';
import type {
  BudgetSet,
  MembersAdd,
  MembersRemove,
  WorkspaceAssign,
  WorkspaceCreate,
  WorkspaceJoin,
  WorkspaceLeave,
  WorkspaceUpdate,
} from './events.ts';

export interface WorkspaceState {
  readonly address: string;
  /** Null only during the step that creates the workspace. */
  readonly record: WorkspaceRecord | null;
}

/** The record of a workspace that was created. */
export function recordOf({ record }: WorkspaceState): WorkspaceRecord {
  if (record === null) throw new Error('a workspace is used before it is created');
  return record;
}

export function create({ address }: WorkspaceState, { settings, by, origin, at }: WorkspaceCreate): WorkspaceRecord {
  const account = ownerOf(address);
  const id = address.slice(address.indexOf('/') + 1);
  return {
    ...settings,
    ...{ id, account, isDefault: id === defaultWorkspaceId(account), members: [], budgets: [], keys: 0 },
    ...{ createdBy: origin?.createdBy ?? by ?? UNNAMED, createdAt: origin?.createdAt ?? at, updatedAt: null },
  };
}

export function update(record: WorkspaceRecord, { change, at }: WorkspaceUpdate): WorkspaceRecord {
  return { ...record, ...change, updatedAt: at };
}

export function addMembers(record: WorkspaceRecord, { users, role, at }: MembersAdd): WorkspaceRecord {
  const members = record.members.map((one) => (users.includes(one.user) ? { ...one, role } : one));
  const known = new Set(members.map(({ user }) => user));
  const added = [...new Set(users)].filter((user) => !known.has(user));
  return {
    ...record,
    members: [...members, ...added.map((user) => ({ user, role, createdAt: at, keys: 0 }))],
    updatedAt: at,
  };
}

export function hasTooMany(record: WorkspaceRecord, event: MembersAdd): boolean {
  return addMembers(record, event).members.length > WORKSPACE_MEMBERS_MAX;
}

export function removeMembers(record: WorkspaceRecord, { users, at }: MembersRemove): WorkspaceRecord {
  return { ...record, members: record.members.filter(({ user }) => !users.includes(user)), updatedAt: at };
}

/** A member to remove to whom a key is assigned; undefined without one. */
export function busyMember({ members }: WorkspaceRecord, { users }: MembersRemove): WorkspaceMember | undefined {
  return members.find(({ user, keys }) => keys > 0 && users.includes(user));
}

export function setBudget(record: WorkspaceRecord, { interval, limit, at }: BudgetSet): WorkspaceRecord {
  const before = record.budgets.find((one) => one.interval === interval);
  const others = record.budgets.filter((one) => one.interval !== interval);
  if (limit === null) return { ...record, budgets: others, updatedAt: at };
  const budget = { interval, limit: usd(limit), createdAt: before?.createdAt ?? at, updatedAt: at };
  const order = (one: WorkspaceBudget): number => BUDGET_INTERVALS.indexOf(one.interval);
  return { ...record, budgets: [...others, budget].sort((a, b) => order(a) - order(b)), updatedAt: at };
}

export function limitsOf({ budgets }: WorkspaceRecord): BudgetLimits {
  return Object.fromEntries(budgets.map(({ interval, limit }) => [interval, limit]));
}

/** True for no member at all, and for one of this workspace's. */
export function knows({ members }: WorkspaceRecord, member: string | null): boolean {
  return member === null || members.some(({ user }) => user === member);
}

export function join(record: WorkspaceRecord, { member }: WorkspaceJoin): WorkspaceRecord {
  return { ...counted(record, member, 1), keys: record.keys + 1 };
}

export function leave(record: WorkspaceRecord, { member }: WorkspaceLeave): WorkspaceRecord {
  return { ...counted(record, member, -1), keys: record.keys - 1 };
}

export function assignKey(record: WorkspaceRecord, { from, to }: WorkspaceAssign): WorkspaceRecord {
  return counted(counted(record, from, -1), to, 1);
}

function counted(record: WorkspaceRecord, member: string | null, change: 1 | -1): WorkspaceRecord {
  if (member === null) return record;
  const members = record.members.map((one) => (one.user === member ? { ...one, keys: one.keys + change } : one));
  return { ...record, members };
}
