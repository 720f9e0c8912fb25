/**
 * What may be done with the workspaces of an account. The default workspace exists without a row until its first change,
 * which stores it.
 */
import { showAccount } from '../../actors/account/account.ts';
import { budgetRoom } from '../../actors/account/budgets.ts';
import { AskError } from '../../actors/runtime/index.ts';
import {
  accountAddress,
  defaultWorkspaceId,
  isWorkspaceId,
  workspaceAddress,
  workspaceId,
} from '../../actors/terms/ids.ts';
import { DEFAULT_WORKSPACE, type WorkspaceRecord, type WorkspaceSettings } from '../../actors/terms/workspace.ts';
import {
  createWorkspace,
  deleteWorkspace,
  findWorkspace,
  listWorkspaces,
  settingsOfDefault,
  unchangedDefault,
  updateWorkspace,
  type WorkspaceAnswer,
  type WorkspaceChange,
} from '../../actors/workspace/workspace.ts';
import { configuredRouting } from '../routing/workspaces.ts';
import { absent, GatewayError, invalid, refusalError, rejectionOf } from '../terms/gateway-error.ts';
import { checker } from './input.ts';
import type { ManagementServices, Tenant } from './services.ts';
import { askEach, isQuarantined } from './services.ts';
import {
  SLUG_CHARACTERS_MAX,
  type WorkspaceEditBody,
  workspaceCreateSchema,
  workspaceEditSchema,
} from './workspace-schema.ts';

const newWorkspaceOf = checker(workspaceCreateSchema);
const workspaceEditOf = checker(workspaceEditSchema);

/** All workspaces of an account, the default one first. */
export async function accountWorkspaces(
  services: ManagementServices,
  account: string,
): Promise<readonly WorkspaceRecord[]> {
  const stored = await listWorkspaces(services.cluster.rows, account);
  const known = stored.find(({ isDefault }) => isDefault);
  const others = stored.filter(({ isDefault }) => !isDefault);
  return [known ?? (await defaultOf(services, account)), ...others];
}

async function defaultOf({ cluster, askMs, config }: ManagementServices, account: string): Promise<WorkspaceRecord> {
  const [known] = await askEach([accountAddress(account)], (address) => showAccount(cluster, address, askMs));
  const createdAt = known === undefined || isQuarantined(known) ? null : known.createdAt;
  return unchangedDefault(account, configuredRouting(config), createdAt ?? 0);
}

/** A workspace of the account by id or slug. Throws 404. */
export async function requireWorkspace(
  services: ManagementServices,
  account: string,
  name: string,
): Promise<WorkspaceRecord> {
  if (isWorkspaceId(name) && name !== defaultWorkspaceId(account)) {
    const found = await findWorkspace(services.cluster.rows, account, name);
    if (found === null) throw noSuchWorkspace(account, name);
    return found;
  }
  const all = await accountWorkspaces(services, account);
  const found = all.find(({ id, slug }) => id === name || slug === name);
  if (found === undefined) throw noSuchWorkspace(account, name);
  return found;
}

/** The id of a workspace by which keys name theirs: null for the default one. Throws 404. */
export async function workspaceOf(services: ManagementServices, account: string, name: string): Promise<string | null> {
  const { id, isDefault } = await requireWorkspace(services, account, name);
  return isDefault ? null : id;
}

function noSuchWorkspace(account: string, name: string): GatewayError {
  return absent('No such workspace', workspaceAddress(account, name));
}

/**
 * Creates a workspace; what the input leaves out is as configured. Throws 400; 409 for a slug that another workspace of
 * the account has, 403 beyond the bound.
 */
export async function openWorkspace(
  services: ManagementServices,
  tenant: Tenant,
  input: unknown,
): Promise<WorkspaceRecord> {
  const body = newWorkspaceOf(input);
  const settings: WorkspaceSettings = {
    ...configuredRouting(services.config),
    description: null,
    name: body.name,
    slug: body.slug ?? slugOf(body.name),
    ...settingsOf(body),
  };
  await requireFreeSlug(services, tenant.account, settings.slug, null);
  const change = changeOf(services, tenant, workspaceId(services.random));
  return settled(services, change, createWorkspace(services.cluster, change, settings));
}

/** The slug of a name: its Latin letters and digits in lower case. Throws 400 for a name without any. */
function slugOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('-').slice(0, SLUG_CHARACTERS_MAX).replace(/-$/, '');
  if (slug === '') throw invalid('slug is required for a name without Latin letters or digits');
  return slug;
}

function settingsOf(body: WorkspaceEditBody): Partial<WorkspaceSettings> {
  return {
    ...(body.name == null ? {} : { name: body.name }),
    ...(body.slug == null ? {} : { slug: body.slug }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.zdr == null ? {} : { zeroRetention: body.zdr }),
    ...(body.partition == null ? {} : { partition: body.partition }),
    ...(body.allowed_providers === undefined ? {} : { allowed: body.allowed_providers }),
    ...(body.ignored_providers == null ? {} : { ignored: body.ignored_providers }),
  };
}

async function requireFreeSlug(
  services: ManagementServices,
  account: string,
  slug: string,
  own: string | null,
): Promise<void> {
  const taken = (await accountWorkspaces(services, account)).find((one) => one.slug === slug);
  if (taken === undefined || taken.id === own) return;
  throw new GatewayError({ status: 409, type: 'conflict', message: `Another workspace has the slug ${slug}` });
}

/** Changes what the input names. Throws 400, 404, 409. */
export async function editWorkspace(
  services: ManagementServices,
  tenant: Tenant,
  { name, input }: { readonly name: string; readonly input: unknown },
): Promise<WorkspaceRecord> {
  const settings = settingsOf(workspaceEditOf(input));
  const before = await requireWorkspace(services, tenant.account, name);
  if (settings.slug !== undefined) await requireFreeSlug(services, tenant.account, settings.slug, before.id);
  const change = await stored(services, tenant, before);
  return settled(services, change, updateWorkspace(services.cluster, change, settings));
}

/** Throws 403 for the default workspace, 409 while keys belong to it. */
export async function removeWorkspace(services: ManagementServices, tenant: Tenant, name: string): Promise<void> {
  const before = await requireWorkspace(services, tenant.account, name);
  const change = await stored(services, tenant, before);
  const refused = await deleteWorkspace(services.cluster, change);
  if (refused !== null) throw refusalError(refused.refusal, services.cluster.now());
}

/** What the budgets of a workspace leave now, exact decimal USD; null without one. */
export async function budgetLeft(
  { cluster, askMs }: ManagementServices,
  workspace: WorkspaceRecord,
): Promise<string | null> {
  if (workspace.budgets.length === 0) return null;
  const { budgets } = await showAccount(cluster, accountAddress(workspace.account), askMs);
  return budgetRoom(budgets, workspace.isDefault ? DEFAULT_WORKSPACE : workspace.id, cluster.now());
}

/** Names the workspace for a change; stores the default one first. */
export async function stored(
  services: ManagementServices,
  tenant: Tenant,
  { id, isDefault, createdBy, createdAt }: WorkspaceRecord,
): Promise<WorkspaceChange> {
  const change = changeOf(services, tenant, id);
  if (!isDefault || (await findWorkspace(services.cluster.rows, tenant.account, id)) !== null) return change;
  const settings = settingsOfDefault(configuredRouting(services.config));
  await settled(services, change, createWorkspace(services.cluster, change, settings, { createdBy, createdAt }));
  return change;
}

function changeOf({ askMs: withinMs }: ManagementServices, { account, by }: Tenant, id: string): WorkspaceChange {
  return { account, id, by, withinMs };
}

/** The workspace after the change. Throws the refusal of the workspace or of its account. */
export async function settled(
  { cluster }: ManagementServices,
  { account, id }: WorkspaceChange,
  answer: Promise<WorkspaceAnswer>,
): Promise<WorkspaceRecord> {
  try {
    const after = await answer;
    if ('refusal' in after) throw refusalError(after.refusal, cluster.now());
    return after;
  } catch (thrown) {
    if (thrown instanceof AskError && thrown.failure.code === 'absent') throw noSuchWorkspace(account, id);
    throw rejectionOf(thrown, cluster.now()) ?? thrown;
  }
}
