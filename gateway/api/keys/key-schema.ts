import { Type } from 'typebox';
import { described, oneOf, orNull } from '../../dialects/request/members.ts';
import { keyKind, windowOrNull } from '../../management/key-schema.ts';

const usd = Type.Number({ description: 'USD, exact digits.' });
const instant = Type.String({ format: 'date-time' });

const STATUSES = ['active', 'disabled', 'expired', 'revoked'] as const;

/** A key as the provisioning routes show it. */
const keySchema = Type.Object({
  hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the key: names it, authenticates nothing.' }),
  name: Type.String({ description: "The key's name, 1 to 256 characters." }),
  label: Type.String({ description: 'First and last characters of the key, for people.' }),
  disabled: Type.Boolean({ description: 'true: requests with the key are answered 401.' }),
  limit: orNull(usd, 'What the key may spend per window, USD; null without a limit.'),
  limit_remaining: orNull(usd, 'What is left of the limit in this window, USD; null without a limit.'),
  limit_reset: described(windowOrNull, 'When the spend returns to zero: daily, weekly or monthly in UTC; null: never.'),
  limit_resets_at: orNull(instant, 'When the spend next returns to zero; null: never.'),
  include_byok_in_limit: Type.Literal(false, { description: "Always false: there are no keys of one's own." }),
  usage: described(usd, 'Charges of the key over its life, USD.'),
  usage_daily: described(usd, 'Charges of the key on this UTC day, USD.'),
  usage_weekly: described(usd, 'Charges of the key since Monday, UTC, USD.'),
  usage_monthly: described(usd, 'Charges of the key in this UTC month, USD.'),
  byok_usage: described(usd, "Always 0: there are no keys of one's own."),
  byok_usage_daily: described(usd, "Always 0: there are no keys of one's own."),
  byok_usage_weekly: described(usd, "Always 0: there are no keys of one's own."),
  byok_usage_monthly: described(usd, "Always 0: there are no keys of one's own."),
  created_at: described(instant, 'When the key was made.'),
  updated_at: orNull(instant, 'When a setting of the key last changed; null: never.'),
  expires_at: orNull(instant, 'When the key stops to authenticate; null: never.'),
  creator_user_id: orNull(
    Type.String(),
    "Member of the workspace to whom the key's spend is attributed; null for none.",
  ),
  external_user: Type.Null({ description: 'Never set by this service.' }),
  workspace_id: Type.String({ description: "Id of the workspace whose rules the key's requests follow." }),
  kind: described(
    keyKind,
    "inference: runs requests. management: administers the account. provider: reads a provider's own figures.",
  ),
  status: described(oneOf(...STATUSES), 'active, or why requests with the key are answered 401.'),
  origin: Type.Union([Type.String(), Type.Null()], { description: 'Origin to which an approval issued the key.' }),
});
export const keyReplySchema = Type.Object({ data: described(keySchema, 'The key, without its text.') });
const unlessQuarantined = (words: string) => orNull(usd, `${words} null: the key is quarantined.`);

/** (rule K83) */
const listedKeySchema = Type.Object({
  ...keySchema.properties,
  usage: unlessQuarantined('Charges of the key over its life, USD.'),
  usage_daily: unlessQuarantined('Charges of the key on this UTC day, USD.'),
  usage_weekly: unlessQuarantined('Charges of the key since Monday, UTC, USD.'),
  usage_monthly: unlessQuarantined('Charges of the key in this UTC month, USD.'),
  status: described(
    oneOf(...STATUSES, 'quarantined'),
    'active, or why requests with the key fail. quarantined: its stored state does not load, so limit and usage are null.',
  ),
});
export const keyListSchema = Type.Object({
  data: Type.Array(listedKeySchema, { maxItems: 100, description: 'Keys of the account, newest first.' }),
});
export const keyCreatedSchema = Type.Object({
  data: described(keySchema, 'The key, without its text.'),
  key: Type.Optional(Type.String({ description: 'The text of a new key: shown only here.' })),
});
export const deletedSchema = Type.Object({ deleted: Type.Literal(true, { description: 'Always true: it is gone.' }) });
