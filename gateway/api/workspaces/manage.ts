/**
 * What a management key may do with the workspaces of its account. The pages for people and the routes call the same
 * functions. The default workspace exists without a row until its first change, which stores it.
 */
import { showAccount } from '../../../actors/account/account.ts';
import { budgetRoom } from '../../../actors/account/budgets.ts';
import { AskError } from '../../../actors/runtime/index.ts';
import { accountAddress, defaultWorkspaceId, isWorkspaceId, workspaceId } from '../../../actors/terms/ids.ts';
import {
  type BudgetInterval,
  DEFAULT_WORKSPACE,
  type WorkspaceRecord,
  type WorkspaceSettings,
} from '../../../actors/terms/workspace.ts';
import {
  addMembers,
  createWorkspace,
  deleteWorkspace,
  findWorkspace,
  listWorkspaces,
  removeMembers,
  setBudget,
  settingsOfDefault,
  unchangedDefault,
  updateWorkspace,
  type WorkspaceAnswer,
  type WorkspaceChange,
} from '../../../actors/workspace/workspace.ts';
import type { EdgeServices } from '../../edge/services.ts';
import { configuredRouting } from '../../routing/workspaces.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { notFound } from '../../terms/not-found.ts';
import { refusalError, rejectionOf } from '../../terms/refusal-error.ts';
import type { Tenant } from '../keys/tenant.ts';

/** The slug of the default workspace until it gets another one. */
export const DEFAULT_SLUG = 'default';

/** All workspaces of an account, the default one first. */
export async function accountWorkspaces(services: EdgeServices, account: string): Promise<readonly WorkspaceRecord[]> {
  const stored = await listWorkspaces(services.cluster.rows, account);
  const known = stored.find(({ isDefault }) => isDefault);
  const others = stored.filter(({ isDefault }) => !isDefault);
  return [known ?? (await defaultOf(services, account)), ...others];
}

async function defaultOf({ cluster, askMs, inference }: EdgeServices, account: string): Promise<WorkspaceRecord> {
  const { createdAt } = await showAccount(cluster, accountAddress(account), askMs);
  return unchangedDefault(account, configuredRouting(inference.config), createdAt ?? 0);
}

/** A workspace of the account by id or slug. Throws 404. */
export async function requireWorkspace(
  services: EdgeServices,
  account: string,
  name: string,
): Promise<WorkspaceRecord> {
  if (isWorkspaceId(name) && name !== defaultWorkspaceId(account)) {
    const found = await findWorkspace(services.cluster.rows, account, name);
    if (found === null) throw noSuchWorkspace();
    return found;
  }
  const all = await accountWorkspaces(services, account);
  const found = all.find(({ id, slug }) => id === name || slug === name);
  if (found === undefined) throw noSuchWorkspace();
  return found;
}

function noSuchWorkspace(): GatewayError {
  return notFound('No such workspace');
}

/** Throws 409 for a slug that another workspace of the account has, 403 beyond the bound. */
export async function openWorkspace(
  services: EdgeServices,
  tenant: Tenant,
  settings: WorkspaceSettings,
): Promise<WorkspaceRecord> {
  await requireFreeSlug(services, tenant.account, settings.slug, null);
  const change = changeOf(services, tenant, workspaceId(services.random));
  return settle(services, createWorkspace(services.cluster, change, settings));
}

async function requireFreeSlug(
  services: EdgeServices,
  account: string,
  slug: string,
  own: string | null,
): Promise<void> {
  const taken = (await accountWorkspaces(services, account)).find((one) => one.slug === slug);
  if (taken === undefined || taken.id === own) return;
  throw new GatewayError({ status: 409, type: 'conflict', message: `Another workspace has the slug ${slug}` });
}

export async function editWorkspace(
  services: EdgeServices,
  tenant: Tenant,
  { name, settings }: { readonly name: string; readonly settings: Partial<WorkspaceSettings> },
): Promise<WorkspaceRecord> {
  const before = await requireWorkspace(services, tenant.account, name);
  if (settings.slug !== undefined) await requireFreeSlug(services, tenant.account, settings.slug, before.id);
  const change = await stored(services, tenant, before);
  return settle(services, updateWorkspace(services.cluster, change, settings));
}

/** Throws 403 for the default workspace, 409 while keys belong to it. */
export async function removeWorkspace(services: EdgeServices, tenant: Tenant, name: string): Promise<void> {
  const before = await requireWorkspace(services, tenant.account, name);
  const change = await stored(services, tenant, before);
  const refused = await deleteWorkspace(services.cluster, change);
  if (refused !== null) throw refusalError(refused.refusal, services.cluster.now());
}

export interface MembersChange {
  readonly name: string;
  readonly users: readonly string[];
  /** Null removes the members. */
  readonly role: 'admin' | 'member' | null;
}

/** The workspace before and after. */
export async function changeMembers(
  services: EdgeServices,
  tenant: Tenant,
  { name, users, role }: MembersChange,
): Promise<{ readonly before: WorkspaceRecord; readonly after: WorkspaceRecord }> {
  const { cluster } = services;
  const before = await requireWorkspace(services, tenant.account, name);
  const change = await stored(services, tenant, before);
  const answer = role === null ? removeMembers(cluster, change, users) : addMembers(cluster, change, { users, role });
  return { before, after: await settle(services, answer) };
}

export interface BudgetChange {
  readonly name: string;
  readonly interval: BudgetInterval;
  /** Exact decimal USD; null removes the budget. */
  readonly limit: string | null;
}

/** The first budget of a workspace begins with what was spent in it in the current windows. */
export async function changeBudget(
  services: EdgeServices,
  tenant: Tenant,
  { name, interval, limit }: BudgetChange,
): Promise<WorkspaceRecord> {
  const before = await requireWorkspace(services, tenant.account, name);
  const change = await stored(services, tenant, before);
  return settle(services, setBudget(services.cluster, change, { interval, limit }));
}

/** What the budgets of a workspace leave now, exact decimal USD; null without one. */
export async function budgetLeft({ cluster, askMs }: EdgeServices, workspace: WorkspaceRecord): Promise<string | null> {
  if (workspace.budgets.length === 0) return null;
  const { budgets } = await showAccount(cluster, accountAddress(workspace.account), askMs);
  return budgetRoom(budgets, workspace.isDefault ? DEFAULT_WORKSPACE : workspace.id, cluster.now());
}

/** Names the workspace for a change; stores the default one first. */
async function stored(
  services: EdgeServices,
  tenant: Tenant,
  { id, isDefault, createdBy, createdAt }: WorkspaceRecord,
): Promise<WorkspaceChange> {
  const change = changeOf(services, tenant, id);
  if (!isDefault || (await findWorkspace(services.cluster.rows, tenant.account, id)) !== null) return change;
  const settings = settingsOfDefault(configuredRouting(services.inference.config));
  await settle(services, createWorkspace(services.cluster, change, settings, { createdBy, createdAt }));
  return change;
}

function changeOf({ askMs: withinMs }: EdgeServices, { account, by }: Tenant, id: string): WorkspaceChange {
  return { account, id, by, withinMs };
}

/** The workspace after the change. Throws the refusal of the workspace or of its account. */
async function settle({ cluster }: EdgeServices, answer: Promise<WorkspaceAnswer>): Promise<WorkspaceRecord> {
  try {
    const after = await answer;
    if ('refusal' in after) throw refusalError(after.refusal, cluster.now());
    return after;
  } catch (thrown) {
    if (thrown instanceof AskError && thrown.failure.code === 'absent') throw noSuchWorkspace();
    throw rejectionOf(thrown, cluster.now()) ?? thrown;
  }
}
