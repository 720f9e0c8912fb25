import { type Static, Type } from 'typebox';
import { WORKSPACE_MEMBERS_MAX } from '../../actors/terms/workspace.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf } from '../dialects/request/members.ts';
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
  slug: maybe(slug, 'Second name in paths: lower case words, digits and single hyphens.'),
  description: Type.Optional(
    described(description, 'Free text of the owner, at most 1,000 characters; null for none.'),
  ),
  zdr: maybe(Type.Boolean(), 'true: its keys use only endpoints vetted for zero data retention.'),
  partition: maybe(
    oneOf('model', 'none'),
    'model: sorts the endpoints of each model by itself. none: those of all models together.',
  ),
  allowed_providers: Type.Optional(
    described(allowed, 'Provider slugs or endpoint tags that its keys may use; null: all.'),
  ),
  ignored_providers: maybe(providers, 'Provider slugs or endpoint tags that its keys never use.'),
};
/** A new workspace, body of `POST /workspaces`. What it leaves out is as configured. */
export const workspaceCreateSchema = Type.Object({
  name: described(named(LABEL_CHARACTERS_MAX), "The workspace's name, 1 to 256 characters."),
  ...settings,
});
/** A change, body of `PATCH /workspaces/{id}`: null removes a description or a list of allowed providers. */
export const workspaceEditSchema = Type.Object({
  name: maybe(named(LABEL_CHARACTERS_MAX), "The workspace's name, 1 to 256 characters."),
  ...settings,
});
export type WorkspaceEditBody = Static<typeof workspaceEditSchema>;

const users = Type.Array(named(LABEL_CHARACTERS_MAX), { minItems: 1, maxItems: WORKSPACE_MEMBERS_MAX });
export const role = oneOf('admin', 'member');
export const membersAddSchema = Type.Object({
  user_ids: described(users, 'Ids of the members to add, or whose role changes.'),
  role: maybe(role, "admin or member: recorded for the owner's own use."),
});
export const membersRemoveSchema = Type.Object({ user_ids: described(users, 'Ids of the members to remove.') });
export const budgetSetSchema = Type.Object({
  limit_usd: described(amountSchema, 'What the workspace may spend in one interval, USD.'),
});
