/** The effects of a workspace's decisions: its row, answers, refusals, messages to its account and its audit log. Pure. */
import type { ActorEvent, Effect } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain } from '../terms/chart-tools.ts';
import { accountAddress } from '../terms/ids.ts';
import type { Refusal, RefusedAnswer } from '../terms/refusal.ts';
import { DEFAULT_WORKSPACE, WORKSPACE_MEMBERS_MAX } from '../terms/workspace.ts';
import type {
  BudgetSet,
  MembersAdd,
  MembersRemove,
  WorkspaceAssign,
  WorkspaceCreate,
  WorkspaceDelete,
  WorkspaceJoin,
  WorkspaceUpdate,
} from './events.ts';
import { busyMember, limitsOf, recordOf, type WorkspaceState } from './workspace-state.ts';

/** The row's collection. */
export const WORKSPACE = 'workspace';

export function put(state: WorkspaceState): Effect {
  const record = recordOf(state);
  return { type: 'put', collection: WORKSPACE, id: record.id, body: plain(record) };
}

export function answer(state: WorkspaceState): Effect {
  return { type: 'reply', body: plain(recordOf(state)) };
}

/** To the account, which exists and bounds the number of its workspaces. */
export function reportOpened(state: WorkspaceState): Effect {
  return toAccount(state, { type: 'workspace.opened', workspace: nameOf(state) });
}

/** To the account, which counts what the workspace spends. */
export function reportBudget(state: WorkspaceState): Effect {
  const limits = plain(limitsOf(recordOf(state)));
  return toAccount(state, { type: 'budget.set', workspace: nameOf(state), limits });
}

/** As the account names it. */
function nameOf(state: WorkspaceState): string {
  const { id, isDefault } = recordOf(state);
  return isDefault ? DEFAULT_WORKSPACE : id;
}

/** Ends the workspace: its row goes, and with it its budgets. */
export function end(state: WorkspaceState): Effect[] {
  const { id } = recordOf(state);
  return [
    { type: 'remove', collection: WORKSPACE, id },
    toAccount(state, { type: 'workspace.closed', workspace: id }),
    { type: 'reply', body: { deleted: true } },
    { type: 'stop' },
  ];
}

function toAccount(state: WorkspaceState, event: ActorEvent): Effect {
  return { type: 'send', to: accountAddress(recordOf(state).account), event };
}

type Change = WorkspaceCreate | WorkspaceUpdate | MembersAdd | MembersRemove | BudgetSet | WorkspaceDelete;

/** The entry of a change in the account's audit log. */
export function recordChange({ address }: WorkspaceState, event: Change): Effect {
  return recordAudit(address, { action: event.type, target: address, by: event.by, detail: detailOf(event) });
}

function detailOf(event: Change): object {
  switch (event.type) {
    case 'workspace.create':
      return event.settings;
    case 'workspace.update':
      return event.change;
    case 'workspace.members.add':
      return { users: event.users, role: event.role };
    case 'workspace.members.remove':
      return { users: event.users };
    case 'workspace.budget':
      return { interval: event.interval, limit: event.limit };
    default:
      return {};
  }
}

/** 400: undoes the step of the key. */
export function refuseMember(event: WorkspaceJoin | WorkspaceAssign): Effect {
  const member = event.type === 'workspace.join' ? event.member : event.to;
  return refuse({
    status: 400,
    type: 'invalid_request',
    message: `creator_user_id ${JSON.stringify(member)} is not a member of the key's workspace`,
  });
}

export function refuseMembers(): Effect {
  const message = `A workspace has at most ${WORKSPACE_MEMBERS_MAX} members`;
  return refuse({ status: 400, type: 'invalid_request', message });
}

/** 409: the key's rights would outlive those of its member. */
export function refuseRemoval(state: WorkspaceState, event: MembersRemove): Effect {
  const busy = busyMember(recordOf(state), event);
  const message = `Keys of this workspace are assigned to member ${JSON.stringify(busy?.user)}: revoke or reassign them first`;
  return refuse({ status: 409, type: 'conflict', message });
}

export function refuseDefault(): Effect {
  const message = 'The default workspace of an account cannot be deleted';
  return refuse({ status: 403, type: 'permission_denied', message });
}

export function refuseInUse(state: WorkspaceState): Effect {
  const { keys } = recordOf(state);
  const message = `${keys} ${keys === 1 ? 'key belongs' : 'keys belong'} to this workspace: revoke or move ${keys === 1 ? 'it' : 'them'} first`;
  return refuse({ status: 409, type: 'conflict', message });
}

function refuse(refusal: Refusal): Effect {
  return { type: 'refuse', body: plain({ refusal } satisfies RefusedAnswer) };
}
