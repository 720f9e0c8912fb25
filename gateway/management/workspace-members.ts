/** The members of a workspace and its budgets: what bounds and names its keys. */
import {
  BUDGET_INTERVALS,
  type BudgetInterval,
  type WorkspaceBudget,
  type WorkspaceRecord,
} from '../../actors/terms/workspace.ts';
import { addMembers, removeMembers, setBudget } from '../../actors/workspace/workspace.ts';
import { absent, invalid } from '../terms/gateway-error.ts';
import { amountOf, checker } from './input.ts';
import type { ManagementServices, Tenant } from './services.ts';
import { budgetSetSchema, membersAddSchema, membersRemoveSchema } from './workspace-schema.ts';
import { requireWorkspace, settled, stored } from './workspaces.ts';

const addedOf = checker(membersAddSchema);
const removedOf = checker(membersRemoveSchema);
const budgetOf = checker(budgetSetSchema);

/** A change of the workspace of this id or slug. */
export interface NamedChange {
  readonly name: string;
  readonly input: unknown;
}

interface MembersChanged {
  readonly before: WorkspaceRecord;
  readonly after: WorkspaceRecord;
  readonly users: readonly string[];
}

/** Adds members, or changes their role. */
export async function addMembersTo(
  services: ManagementServices,
  tenant: Tenant,
  { name, input }: NamedChange,
): Promise<MembersChanged> {
  const { user_ids: users, role } = addedOf(input);
  const before = await requireWorkspace(services, tenant.account, name);
  const change = await stored(services, tenant, before);
  const answer = addMembers(services.cluster, change, { users, role: role ?? 'member' });
  return { before, users, after: await settled(services, change, answer) };
}

/** Throws 409 for a member to whom keys are assigned. */
export async function removeMembersFrom(
  services: ManagementServices,
  tenant: Tenant,
  { name, input }: NamedChange,
): Promise<MembersChanged> {
  const { user_ids: users } = removedOf(input);
  const before = await requireWorkspace(services, tenant.account, name);
  const change = await stored(services, tenant, before);
  return { before, users, after: await settled(services, change, removeMembers(services.cluster, change, users)) };
}

/** Names one budget. */
interface BudgetName {
  /** Id or slug of the workspace. */
  readonly name: string;
  readonly interval: string;
}

/** The first budget of a workspace begins with what was spent in it in the current windows. */
export async function putBudget(
  services: ManagementServices,
  tenant: Tenant,
  { name, interval: text, input }: BudgetName & { readonly input: unknown },
): Promise<WorkspaceRecord> {
  const interval = intervalOf(text);
  const limit = amountOf('limit_usd', budgetOf(input).limit_usd);
  const before = await requireWorkspace(services, tenant.account, name);
  const change = await stored(services, tenant, before);
  return settled(services, change, setBudget(services.cluster, change, { interval, limit }));
}

/** Throws 404 for a budget that the workspace does not have. */
export async function removeBudget(
  services: ManagementServices,
  tenant: Tenant,
  { name, interval: text }: BudgetName,
): Promise<WorkspaceRecord> {
  const interval = intervalOf(text);
  const before = await requireWorkspace(services, tenant.account, name);
  requireBudget(before, interval);
  const change = await stored(services, tenant, before);
  return settled(services, change, setBudget(services.cluster, change, { interval, limit: null }));
}

/** Throws 400 for an unknown interval, 404 for a budget that the workspace does not have. */
export function requireBudget({ budgets }: WorkspaceRecord, text: string): WorkspaceBudget {
  const interval = intervalOf(text);
  const found = budgets.find((one) => one.interval === interval);
  if (found === undefined) throw absent('No such budget', null);
  return found;
}

function intervalOf(text: string): BudgetInterval {
  const interval = BUDGET_INTERVALS.find((one) => one === text);
  if (interval === undefined) throw invalid(`The interval of a budget must be one of ${BUDGET_INTERVALS.join(', ')}`);
  return interval;
}
