/**
 * The members of a workspace, and the keys that belong to it and are assigned to them. Keys join, leave and are assigned
 * in the commit of their own change. Pure.
 */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { refuse } from '../terms/chart-tools.ts';
import type { Principal } from '../terms/principal.ts';
import { WORKSPACE_MEMBERS_MAX, type WorkspaceMember, type WorkspaceRecord } from '../terms/workspace.ts';
import { changes, recordOf, type WorkspaceState } from './workspace-state.ts';

/** Adds members, or changes the role of those that are members. Refused beyond the bound. */
export type MembersAdd = Stamped & {
  readonly type: 'workspace.members.add';
  readonly users: readonly string[];
  readonly role: 'admin' | 'member';
  readonly by: Principal;
};

/** Refused while a key is assigned to one of them. */
export type MembersRemove = Stamped & {
  readonly type: 'workspace.members.remove';
  readonly users: readonly string[];
  readonly by: Principal;
};

/** From a key, in the commit of its creation or move. Refused for a member that the workspace does not know. */
type WorkspaceJoin = Stamped & { readonly type: 'workspace.join'; readonly member: string | null };
/** From a key, in the commit that revokes or moves it. */
type WorkspaceLeave = Stamped & { readonly type: 'workspace.leave'; readonly member: string | null };
/** From a key whose assigned member changes. */
type WorkspaceAssign = Stamped & {
  readonly type: 'workspace.assign';
  readonly from: string | null;
  readonly to: string | null;
};

export type MemberEvent = MembersAdd | MembersRemove | WorkspaceJoin | WorkspaceLeave | WorkspaceAssign;

function addMembers(record: WorkspaceRecord, { users, role, at }: MembersAdd): WorkspaceRecord {
  const members = record.members.map((one) => (users.includes(one.user) ? { ...one, role } : one));
  const known = new Set(members.map(({ user }) => user));
  const added = [...new Set(users)].filter((user) => !known.has(user));
  return {
    ...record,
    members: [...members, ...added.map((user) => ({ user, role, createdAt: at, keys: 0 }))],
    updatedAt: at,
  };
}

function hasTooMany(state: WorkspaceState, event: MembersAdd): boolean {
  return addMembers(recordOf(state), event).members.length > WORKSPACE_MEMBERS_MAX;
}

function refuseTooMany(): Effect {
  const message = `A workspace has at most ${WORKSPACE_MEMBERS_MAX} members`;
  return refuse({ status: 400, type: 'invalid_request', message });
}

function removeMembers(record: WorkspaceRecord, { users, at }: MembersRemove): WorkspaceRecord {
  return { ...record, members: record.members.filter(({ user }) => !users.includes(user)), updatedAt: at };
}

/** A member to remove to whom a key is assigned; undefined without one. */
function busyMember(state: WorkspaceState, { users }: MembersRemove): WorkspaceMember | undefined {
  return recordOf(state).members.find(({ user, keys }) => keys > 0 && users.includes(user));
}

/** 409: the key's rights would outlive those of its member. */
function refuseRemoval(state: WorkspaceState, event: MembersRemove): Effect {
  const busy = busyMember(state, event);
  const message = `Keys of this workspace are assigned to member ${JSON.stringify(busy?.user)}: revoke or reassign them first`;
  return refuse({ status: 409, type: 'conflict', message });
}

const KEY_EVENTS = ['workspace.join', 'workspace.assign'] as const;

/** The member to whom the key is assigned from now on. */
function assigneeOf(event: WorkspaceJoin | WorkspaceAssign): string | null {
  return event.type === 'workspace.join' ? event.member : event.to;
}

function isStranger(state: WorkspaceState, event: WorkspaceJoin | WorkspaceAssign): boolean {
  const assignee = assigneeOf(event);
  return assignee !== null && !recordOf(state).members.some(({ user }) => user === assignee);
}

/** 400: undoes the step of the key. */
function refuseStranger(_: WorkspaceState, event: WorkspaceJoin | WorkspaceAssign): Effect {
  return refuse({
    status: 400,
    type: 'invalid_request',
    message: `creator_user_id ${JSON.stringify(assigneeOf(event))} is not a member of the key's workspace`,
  });
}

function join(record: WorkspaceRecord, { member }: WorkspaceJoin): WorkspaceRecord {
  return { ...counted(record, member, 1), keys: record.keys + 1 };
}

function leave(record: WorkspaceRecord, { member }: WorkspaceLeave): WorkspaceRecord {
  return { ...counted(record, member, -1), keys: record.keys - 1 };
}

function reassign(record: WorkspaceRecord, { from, to }: WorkspaceAssign): WorkspaceRecord {
  return counted(counted(record, from, -1), to, 1);
}

function counted(record: WorkspaceRecord, member: string | null, change: 1 | -1): WorkspaceRecord {
  if (member === null) return record;
  const members = record.members.map((one) => (one.user === member ? { ...one, keys: one.keys + change } : one));
  return { ...record, members };
}

export const guards = {
  hasTooMany: guardOn('workspace.members.add', hasTooMany),
  hasBusyMember: guardOn('workspace.members.remove', (state: WorkspaceState, event: MembersRemove) => {
    return busyMember(state, event) !== undefined;
  }),
  isStranger: guardOn(KEY_EVENTS, isStranger),
};

export const actions = {
  addMembers: assignOn('workspace.members.add', changes(addMembers)),
  refuseTooMany: emitOn('*', refuseTooMany),
  removeMembers: assignOn('workspace.members.remove', changes(removeMembers)),
  refuseRemoval: emitOn('workspace.members.remove', refuseRemoval),
  joinKey: assignOn('workspace.join', changes(join)),
  leaveKey: assignOn('workspace.leave', changes(leave)),
  reassignKey: assignOn('workspace.assign', changes(reassign)),
  refuseStranger: emitOn(KEY_EVENTS, refuseStranger),
};
