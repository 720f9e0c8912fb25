/** The creation, the settings, the budgets and the end of a workspace, each with its entry in the audit log. Pure. */
import { assignOn, type Effect, emitOn, guardOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain, refuse, reply } from '../terms/chart-tools.ts';
import { defaultWorkspaceId } from '../terms/ids.ts';
import type { Principal } from '../terms/principal.ts';
import { usd } from '../terms/usd.ts';
import {
  BUDGET_INTERVALS,
  type BudgetInterval,
  type BudgetLimits,
  type WorkspaceBudget,
  type WorkspaceRecord,
  type WorkspaceSettings,
} from '../terms/workspace.ts';
import type { MembersAdd, MembersRemove } from './members.ts';
import { changes, nameOf, recordOf, toAccount, WORKSPACE, type WorkspaceState } from './workspace-state.ts';

/** The address is the natural id; a repeat changes nothing. */
type WorkspaceCreate = Stamped & {
  readonly type: 'workspace.create';
  readonly settings: WorkspaceSettings;
  readonly by: Principal;
  /** Of the default workspace, which exists before it is stored; absent: created now, by `by`. */
  readonly origin?: WorkspaceOrigin;
};

export interface WorkspaceOrigin {
  readonly createdBy: Principal;
  /** Store time, ms. */
  readonly createdAt: number;
}

type WorkspaceUpdate = Stamped & {
  readonly type: 'workspace.update';
  readonly change: Partial<WorkspaceSettings>;
  readonly by: Principal;
};

/** Sets the budget of an interval; null removes it. */
type BudgetSet = Stamped & {
  readonly type: 'workspace.budget';
  readonly interval: BudgetInterval;
  readonly limit: string | null;
  readonly by: Principal;
};

/** Refused for the default workspace and while keys belong to it. */
type WorkspaceDelete = Stamped & { readonly type: 'workspace.delete'; readonly by: Principal };

export type SettingsEvent = WorkspaceCreate | WorkspaceUpdate | BudgetSet | WorkspaceDelete;

function createdOf({ address }: WorkspaceState, { settings, by, origin, at }: WorkspaceCreate): WorkspaceRecord {
  const account = ownerOf(address);
  const id = address.slice(address.indexOf('/') + 1);
  return {
    ...settings,
    id,
    account,
    isDefault: id === defaultWorkspaceId(account),
    members: [],
    budgets: [],
    keys: 0,
    createdBy: origin?.createdBy ?? by,
    createdAt: origin?.createdAt ?? at,
    updatedAt: null,
  };
}

/** To the account, which exists and bounds the number of its workspaces. */
function reportOpened(state: WorkspaceState): Effect {
  return toAccount(state, { type: 'workspace.opened', workspace: nameOf(state) });
}

function update(record: WorkspaceRecord, { change, at }: WorkspaceUpdate): WorkspaceRecord {
  return { ...record, ...change, updatedAt: at };
}

function setBudget(record: WorkspaceRecord, { interval, limit, at }: BudgetSet): WorkspaceRecord {
  const before = record.budgets.find((one) => one.interval === interval);
  const others = record.budgets.filter((one) => one.interval !== interval);
  if (limit === null) return { ...record, budgets: others, updatedAt: at };
  const budget = { interval, limit: usd(limit), createdAt: before?.createdAt ?? at, updatedAt: at };
  const order = (one: WorkspaceBudget): number => BUDGET_INTERVALS.indexOf(one.interval);
  return { ...record, budgets: [...others, budget].sort((a, b) => order(a) - order(b)), updatedAt: at };
}

function limitsOf({ budgets }: WorkspaceRecord): BudgetLimits {
  return Object.fromEntries(budgets.map(({ interval, limit }) => [interval, limit]));
}

/** To the account, which counts what the workspace spends. */
function reportBudget(state: WorkspaceState): Effect {
  const limits = plain(limitsOf(recordOf(state)));
  return toAccount(state, { type: 'budget.set', workspace: nameOf(state), limits });
}

/** Ends the workspace: its row goes, and with it its budgets. */
function endWorkspace(state: WorkspaceState): Effect[] {
  const { id } = recordOf(state);
  return [
    { type: 'remove', collection: WORKSPACE, id },
    toAccount(state, { type: 'workspace.closed', workspace: id }),
    reply({ deleted: true }),
    { type: 'stop' },
  ];
}

function refuseDefault(): Effect {
  const message = 'The default workspace of an account cannot be deleted';
  return refuse({ status: 403, type: 'permission_denied', message });
}

function refuseInUse(state: WorkspaceState): Effect {
  const { keys } = recordOf(state);
  const message = `${keys} ${keys === 1 ? 'key belongs' : 'keys belong'} to this workspace: revoke or move ${keys === 1 ? 'it' : 'them'} first`;
  return refuse({ status: 409, type: 'conflict', message });
}

type Change = SettingsEvent | MembersAdd | MembersRemove;
const CHANGES = [
  'workspace.create',
  'workspace.update',
  'workspace.delete',
  'workspace.budget',
  'workspace.members.add',
  'workspace.members.remove',
] as const;

/** The entry of a change in the account's audit log. */
function recordChange({ address }: WorkspaceState, event: Change): Effect {
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

export const guards = {
  isDefault: guardOn('*', (state: WorkspaceState) => recordOf(state).isDefault),
  isInUse: guardOn('*', (state: WorkspaceState) => recordOf(state).keys > 0),
};

export const actions = {
  create: assignOn('workspace.create', (state: WorkspaceState, event: WorkspaceCreate) => ({
    record: createdOf(state, event),
  })),
  reportOpened: emitOn('*', reportOpened),
  update: assignOn('workspace.update', changes(update)),
  setBudget: assignOn('workspace.budget', changes(setBudget)),
  reportBudget: emitOn('*', reportBudget),
  endWorkspace: emitOn('*', endWorkspace),
  refuseDefault: emitOn('*', refuseDefault),
  refuseInUse: emitOn('*', refuseInUse),
  recordChange: emitOn(CHANGES, recordChange),
};
