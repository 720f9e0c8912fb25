import { Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';
import { windowOrNull } from '../../management/key-schema.ts';
import { allowed, description, role } from '../../management/workspace-schema.ts';

const instant = Type.String({ format: 'date-time' });
const member = Type.Object({
  id: Type.String(),
  workspace_id: Type.String(),
  user_id: Type.String(),
  role,
  created_at: instant,
});
const budget = Type.Object({
  id: Type.String(),
  workspace_id: Type.String(),
  limit_usd: Type.Number(),
  reset_interval: windowOrNull,
  created_at: instant,
  updated_at: instant,
});
const workspace = Type.Object({
  id: Type.String({ pattern: '^ws_[0-9A-Za-z]{20}$' }),
  name: Type.String(),
  slug: Type.String(),
  description,
  is_default: Type.Boolean(),
  zdr: Type.Boolean(),
  partition: oneOf('model', 'none'),
  allowed_providers: allowed,
  ignored_providers: Type.Array(Type.String()),
  budget_remaining: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  created_by: Type.String(),
  created_at: instant,
  updated_at: Type.Union([instant, Type.Null()]),
});

export const workspaceReplySchema = Type.Object({ data: workspace });
export const workspaceListSchema = Type.Object({ data: Type.Array(workspace), total_count: Type.Integer() });
export const memberListSchema = Type.Object({ data: Type.Array(member), total_count: Type.Integer() });
export const membersAddedSchema = Type.Object({ data: Type.Array(member), added_count: Type.Integer() });
export const membersRemovedSchema = Type.Object({ removed_count: Type.Integer() });
export const budgetReplySchema = Type.Object({ data: budget });
export const budgetListSchema = Type.Object({
  data: Type.Array(budget),
  include_byok_in_budgets: Type.Literal(false),
});
