import { Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';
import { keyKind, windowOrNull } from '../../management/key-schema.ts';

const usd = Type.Number({ description: 'USD, exact digits.' });
const instant = Type.String({ format: 'date-time' });

/** A key as the provisioning routes show it. */
export const keySchema = Type.Object({
  hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the key: names it, authenticates nothing.' }),
  name: Type.String(),
  label: Type.String(),
  disabled: Type.Boolean(),
  limit: Type.Union([usd, Type.Null()]),
  limit_remaining: Type.Union([usd, Type.Null()]),
  limit_reset: windowOrNull,
  limit_resets_at: Type.Union([instant, Type.Null()]),
  include_byok_in_limit: Type.Literal(false),
  usage: usd,
  usage_daily: usd,
  usage_weekly: usd,
  usage_monthly: usd,
  byok_usage: usd,
  byok_usage_daily: usd,
  byok_usage_weekly: usd,
  byok_usage_monthly: usd,
  created_at: instant,
  updated_at: Type.Union([instant, Type.Null()]),
  expires_at: Type.Union([instant, Type.Null()]),
  creator_user_id: Type.Union([Type.String(), Type.Null()]),
  external_user: Type.Null(),
  workspace_id: Type.String(),
  kind: keyKind,
  status: oneOf('active', 'disabled', 'expired', 'revoked'),
  origin: Type.Union([Type.String(), Type.Null()], { description: 'Origin to which an approval issued the key.' }),
});
export const keyReplySchema = Type.Object({ data: keySchema });
export const keyListSchema = Type.Object({ data: Type.Array(keySchema, { maxItems: 100 }) });
export const keyCreatedSchema = Type.Object({
  data: keySchema,
  key: Type.Optional(Type.String({ description: 'The text of a new key: shown only here.' })),
});
export const deletedSchema = Type.Object({ deleted: Type.Literal(true) });
