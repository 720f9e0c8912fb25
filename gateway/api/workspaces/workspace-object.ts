import type { WorkspaceBudget, WorkspaceMember, WorkspaceRecord } from '../../../actors/terms/workspace.ts';
import { exactNumber } from '../../json/exact-json.ts';

/** Members that strict clients require and the service has no use for. (rule I49) */
const UNUSED = {
  default_guardrail_id: '',
  default_image_model: null,
  default_provider_sort: null,
  default_text_model: null,
  disabled_server_tools: null,
  include_byok_in_budgets: false,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 0,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_observability_io_logging_enabled: false,
};

/** A workspace for `renderExact`. `left`: what its budgets leave, null without one; absent in a list. */
export function workspaceObject(workspace: WorkspaceRecord, left?: string | null): object {
  const { id, name, slug, description, isDefault, zeroRetention, partition, allowed, ignored } = workspace;
  return {
    id,
    name,
    slug,
    description,
    is_default: isDefault,
    zdr: zeroRetention,
    partition,
    allowed_providers: allowed,
    ignored_providers: ignored,
    ...(left === undefined ? {} : { budget_remaining: exactNumber(left?.startsWith('-') ? '0' : left) }),
    created_by: workspace.createdBy.id,
    created_at: iso(workspace.createdAt),
    updated_at: workspace.updatedAt === null ? null : iso(workspace.updatedAt),
    ...UNUSED,
  };
}

export function memberObject({ id }: WorkspaceRecord, { user, role, createdAt }: WorkspaceMember): object {
  return { id: `${id}/${user}`, workspace_id: id, user_id: user, role, created_at: iso(createdAt) };
}

export function budgetObject({ id }: WorkspaceRecord, budget: WorkspaceBudget): object {
  const { interval, limit, createdAt, updatedAt } = budget;
  return {
    id: `${id}/${interval}`,
    workspace_id: id,
    limit_usd: exactNumber(limit),
    reset_interval: interval === 'lifetime' ? null : interval,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
