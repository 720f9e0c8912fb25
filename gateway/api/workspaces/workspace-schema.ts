import { type Static, Type } from 'typebox';
import { WORKSPACE_MEMBERS_MAX } from '../../../actors/terms/workspace.ts';
import { LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf } from '../../dialects/request/members.ts';
import { amountSchema, keySchema } from '../keys/key-schema.ts';

const DESCRIPTION_CHARACTERS_MAX = 1_000;

const slug = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  description: 'Lower case words, digits and single hyphens; names the workspace in paths beside its id.',
});
const description = Type.Union([Type.String({ maxLength: DESCRIPTION_CHARACTERS_MAX }), Type.Null()]);
const providers = Type.Array(named(LABEL_CHARACTERS_MAX), { maxItems: NAMES_MAX });
const allowed = Type.Union([providers, Type.Null()], { description: 'Provider slugs or endpoint tags; null: all.' });

const settings = {
  slug: maybe(slug),
  description: Type.Optional(description),
  zdr: maybe(Type.Boolean()),
  partition: maybe(oneOf('model', 'none')),
  allowed_providers: Type.Optional(allowed),
  ignored_providers: maybe(providers),
};
/** Body of `POST /workspaces`. What it leaves out is as configured. */
export const workspaceCreateSchema = Type.Object({ name: named(LABEL_CHARACTERS_MAX), ...settings });
/** Body of `PATCH /workspaces/{id}`: null removes a description or a list of allowed providers. */
export const workspaceEditSchema = Type.Object({ name: maybe(named(LABEL_CHARACTERS_MAX)), ...settings });
export type WorkspaceEditBody = Static<typeof workspaceEditSchema>;

const users = Type.Array(named(LABEL_CHARACTERS_MAX), { minItems: 1, maxItems: WORKSPACE_MEMBERS_MAX });
const role = oneOf('admin', 'member');
export const membersAddSchema = Type.Object({ user_ids: users, role: maybe(role) });
export const membersRemoveSchema = Type.Object({ user_ids: users });
export const budgetSetSchema = Type.Object({ limit_usd: amountSchema });

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
  reset_interval: keySchema.properties.limit_reset,
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
