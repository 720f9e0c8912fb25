/** The workspace kind and its client functions. A workspace is named by its account and its id. */
import type { ActorEvent, Cluster, Json, Kind, RowReader, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { accountAddress, defaultWorkspaceId, workspaceAddress } from '../terms/ids.ts';
import type { Principal } from '../terms/principal.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import {
  type BudgetInterval,
  WORKSPACES_MAX,
  type WorkspaceRecord,
  type WorkspaceRouting,
  type WorkspaceSettings,
} from '../terms/workspace.ts';
import type { WorkspaceOrigin } from './settings.ts';
import { workspaceMachine } from './workspace.machine.ts';
import type { WorkspaceState } from './workspace-state.ts';
import { WORKSPACE } from './workspace-state.ts';

const BY_ACCOUNT = 0;

export const workspaceKind: Kind = {
  name: 'workspace',
  machine: workspaceMachine,
  version: 1,
  creates: ['workspace.create'],
  finishes: ['workspace.leave'],
  volatile: [],
  collections: {
    [WORKSPACE]: {
      sort: (record: WorkspaceRecord) => record.createdAt,
      index: [(record: WorkspaceRecord) => record.account],
    },
  },
  history: EVERY_STEP,
  explain,
  redact: (context: Json) => context,
};

function explain({ context }: View): readonly string[] {
  const { record } = context as unknown as WorkspaceState;
  if (record === null) return ['This workspace is being created.'];
  const budgets = record.budgets.map(({ interval, limit }) => `${limit} USD ${interval}`).join(', ');
  return [
    `Workspace "${record.name}"${record.isDefault ? ', the default one of its account' : ` with ${record.keys} keys`}.`,
    record.zeroRetention ? 'Only endpoints vetted for zero data retention serve it.' : 'Any data policy may serve it.',
    record.allowed === null ? 'All providers may serve it.' : `Only these may serve it: ${record.allowed.join(', ')}.`,
    ...(record.ignored.length === 0 ? [] : [`These never serve it: ${record.ignored.join(', ')}.`]),
    budgets === '' ? 'It has no budget.' : `Its budget: ${budgets}; its account counts what it spends.`,
  ];
}

/** Names a workspace, and the principal that changes it. */
export interface WorkspaceChange {
  /** Account id, without the kind. */
  readonly account: string;
  readonly id: string;
  readonly by: Principal;
  readonly withinMs: number;
}

/** The workspace after the change, or why it was refused; nothing changed then. */
export type WorkspaceAnswer = WorkspaceRecord | RefusedAnswer;

type Asks = Pick<Cluster, 'ask'>;

/** Creates a workspace; repeats change nothing. Rejects where the account does not exist or has too many. */
export function createWorkspace(
  cluster: Asks,
  change: WorkspaceChange,
  settings: WorkspaceSettings,
  origin?: WorkspaceOrigin,
) {
  const from = origin && { origin: { createdBy: plain(origin.createdBy), createdAt: origin.createdAt } };
  return askWorkspace(cluster, change, { type: 'workspace.create', settings: plain(settings), ...from });
}

export function updateWorkspace(cluster: Asks, change: WorkspaceChange, settings: Partial<WorkspaceSettings>) {
  return askWorkspace(cluster, change, { type: 'workspace.update', change: plain(settings) });
}

/** Adds members, or changes their role. */
export function addMembers(
  cluster: Asks,
  change: WorkspaceChange,
  { users, role }: { readonly users: readonly string[]; readonly role: 'admin' | 'member' },
) {
  return askWorkspace(cluster, change, { type: 'workspace.members.add', users, role });
}

export function removeMembers(cluster: Asks, change: WorkspaceChange, users: readonly string[]) {
  return askWorkspace(cluster, change, { type: 'workspace.members.remove', users });
}

interface NewBudget {
  readonly interval: BudgetInterval;
  /** Exact decimal USD; null removes the budget. */
  readonly limit: string | null;
}

export function setBudget(cluster: Asks, change: WorkspaceChange, budget: NewBudget) {
  return askWorkspace(cluster, change, { type: 'workspace.budget', ...budget });
}

/** Refused: 403 for the default workspace, 409 while keys belong to it. */
export async function deleteWorkspace(cluster: Asks, change: WorkspaceChange): Promise<RefusedAnswer | null> {
  const answer: WorkspaceAnswer = await askWorkspace(cluster, change, { type: 'workspace.delete' });
  return 'refusal' in answer ? answer : null;
}

function askWorkspace(cluster: Asks, { account, id, by, withinMs }: WorkspaceChange, event: ActorEvent) {
  return ask<WorkspaceAnswer>(cluster, workspaceAddress(account, id), { ...event, by: plain(by) }, withinMs);
}

/** Reads one workspace from the store; null where there is none. */
export async function findWorkspace(
  rows: Pick<RowReader, 'row'>,
  account: string,
  id: string,
): Promise<WorkspaceRecord | null> {
  const row = await rows.row(workspaceAddress(account, id), WORKSPACE, id);
  return row === null ? null : (JSON.parse(row.body) as WorkspaceRecord);
}

/** All stored workspaces of an account, oldest first. The default one is not stored before its first change. */
export async function listWorkspaces(
  rows: Pick<RowReader, 'rows'>,
  account: string,
): Promise<readonly WorkspaceRecord[]> {
  const where = { column: BY_ACCOUNT, equals: account } as const;
  const found = await rows.rows({ collection: WORKSPACE, where, limit: WORKSPACES_MAX + 1 });
  return found.map(({ body }) => JSON.parse(body) as WorkspaceRecord);
}

/** The default workspace of an account before its first change, routed by the configured defaults. */
export function unchangedDefault(account: string, routing: WorkspaceRouting, createdAt: number): WorkspaceRecord {
  return {
    id: defaultWorkspaceId(account),
    account,
    isDefault: true,
    ...settingsOfDefault(routing),
    members: [],
    budgets: [],
    keys: 0,
    createdBy: { kind: 'system', id: accountAddress(account) },
    createdAt,
    updatedAt: null,
  };
}

/** The settings with which the default workspace is stored at its first change. */
export function settingsOfDefault(routing: WorkspaceRouting): WorkspaceSettings {
  const { zeroRetention, partition, allowed, ignored } = routing;
  return { name: 'Default', slug: 'default', description: null, zeroRetention, partition, allowed, ignored };
}
