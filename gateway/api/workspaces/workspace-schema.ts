import { Type } from 'typebox';
import { described, oneOf, orNull } from '../../dialects/request/members.ts';
import { windowOrNull } from '../../management/key-schema.ts';
import { allowed, description, role } from '../../management/workspace-schema.ts';

const instant = Type.String({ format: 'date-time' });
const member = Type.Object({
  id: Type.String({ description: 'Names the membership: workspace id, a slash, member id.' }),
  workspace_id: Type.String({ description: 'The workspace that this entry belongs to, by its `ws_` id.' }),
  user_id: Type.String({ description: "Id of the member, as the account's owner chose it." }),
  role: described(role, "admin or member: recorded for the owner's own use."),
  created_at: described(instant, 'When the member was added.'),
});
const budget = Type.Object({
  id: Type.String({ description: 'Names the budget: workspace id, a slash, its interval.' }),
  workspace_id: Type.String({ description: 'The workspace that this entry belongs to, by its `ws_` id.' }),
  limit_usd: Type.Number({ description: 'What the workspace may spend in one interval, USD.' }),
  reset_interval: described(
    windowOrNull,
    'When the spend returns to zero: daily, weekly or monthly in UTC; null: never.',
  ),
  created_at: described(instant, 'When the budget was first set.'),
  updated_at: described(instant, 'When the budget last changed.'),
});
const workspace = Type.Object({
  id: Type.String({
    pattern: '^ws_[0-9A-Za-z]{20}$',
    description: 'Id of the workspace, which its routes and keys take.',
  }),
  name: Type.String({ description: "The workspace's name, 1 to 256 characters." }),
  slug: Type.String({ description: 'Second name in paths: lower case words, digits and single hyphens.' }),
  description: described(description, 'Free text of the owner, at most 1,000 characters; null for none.'),
  is_default: Type.Boolean({ description: 'Whether keys without a workspace belong to it: one of the account does.' }),
  zdr: Type.Boolean({ description: 'true: its keys use only endpoints vetted for zero data retention.' }),
  partition: described(
    oneOf('model', 'none'),
    'model: sorts the endpoints of each model by itself. none: those of all models together.',
  ),
  allowed_providers: described(allowed, 'Provider slugs or endpoint tags that its keys may use; null: all.'),
  ignored_providers: Type.Array(Type.String(), {
    description: 'Provider slugs or endpoint tags that its keys never use.',
  }),
  budget_remaining: Type.Optional(
    orNull(Type.Number(), 'What is left of the tightest budget, USD; null without a budget.'),
  ),
  created_by: Type.String({ description: 'Principal that created the workspace.' }),
  created_at: described(instant, 'When the workspace was created.'),
  updated_at: orNull(instant, 'When a setting last changed; null: never.'),
});

export const workspaceReplySchema = Type.Object({ data: described(workspace, 'The workspace with its settings.') });
export const workspaceListSchema = Type.Object({
  data: Type.Array(workspace, { description: 'Workspaces of the account, the default one first.' }),
  total_count: Type.Integer({ description: 'Workspaces of the account, on all pages.' }),
});
export const memberListSchema = Type.Object({
  data: Type.Array(member, { description: 'Members of the workspace.' }),
  total_count: Type.Integer({ description: 'Number of its members.' }),
});
export const membersAddedSchema = Type.Object({
  data: Type.Array(member, { description: 'The members that were added or changed.' }),
  added_count: Type.Integer({ description: 'How many members were added or changed.' }),
});
export const membersRemovedSchema = Type.Object({
  removed_count: Type.Integer({ description: 'How many members were removed.' }),
});
export const budgetReplySchema = Type.Object({ data: described(budget, 'One interval with its amount.') });
export const budgetListSchema = Type.Object({
  data: Type.Array(budget, { description: 'Budgets of the workspace, one for each interval that has one.' }),
  include_byok_in_budgets: Type.Literal(false, { description: "Always false: there are no keys of one's own." }),
});
