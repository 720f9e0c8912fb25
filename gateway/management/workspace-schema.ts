import { type Static, Type } from 'typebox';
import { WORKSPACE_MEMBERS_MAX } from '../../actors/terms/workspace.ts';
import { LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf } from '../dialects/request/members.ts';
import { amountSchema } from './key-schema.ts';

export const SLUG_CHARACTERS_MAX = 50;
const DESCRIPTION_CHARACTERS_MAX = 1_000;

const slug = Type.String({
  minLength: 1,
  maxLength: SLUG_CHARACTERS_MAX,
  pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  description: 'Lower case words, digits and single hyphens; names the workspace in paths beside its id.',
});
export const description = Type.Union([Type.String({ maxLength: DESCRIPTION_CHARACTERS_MAX }), Type.Null()]);
const providers = Type.Array(named(LABEL_CHARACTERS_MAX), { maxItems: NAMES_MAX });
export const allowed = Type.Union([providers, Type.Null()], {
  description: 'Provider slugs or endpoint tags; null: all.',
});

const settings = {
  slug: maybe(slug),
  description: Type.Optional(description),
  zdr: maybe(Type.Boolean()),
  partition: maybe(oneOf('model', 'none')),
  allowed_providers: Type.Optional(allowed),
  ignored_providers: maybe(providers),
};
/** A new workspace, body of `POST /workspaces`. What it leaves out is as configured. */
export const workspaceCreateSchema = Type.Object({ name: named(LABEL_CHARACTERS_MAX), ...settings });
/** A change, body of `PATCH /workspaces/{id}`: null removes a description or a list of allowed providers. */
export const workspaceEditSchema = Type.Object({ name: maybe(named(LABEL_CHARACTERS_MAX)), ...settings });
export type WorkspaceEditBody = Static<typeof workspaceEditSchema>;

const users = Type.Array(named(LABEL_CHARACTERS_MAX), { minItems: 1, maxItems: WORKSPACE_MEMBERS_MAX });
export const role = oneOf('admin', 'member');
export const membersAddSchema = Type.Object({ user_ids: users, role: maybe(role) });
export const membersRemoveSchema = Type.Object({ user_ids: users });
export const budgetSetSchema = Type.Object({ limit_usd: amountSchema });
