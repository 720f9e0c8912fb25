import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { LABEL_CHARACTERS_MAX, maybe, named, oneOf } from '../../dialects/request/members.ts';
import { validationError } from '../../dialects/request/validation-error.ts';
import { invalid } from '../../terms/invalid.ts';

const WINDOWS = ['daily', 'weekly', 'monthly'] as const;
/** Characters of an amount as text. */
const AMOUNT_CHARACTERS_MAX = 64;

/** USD as a JSON number or as exact decimal text. */
export const amountSchema = Type.Union([
  Type.Number({ minimum: 0, description: 'USD.' }),
  Type.String({ maxLength: AMOUNT_CHARACTERS_MAX, description: 'Exact decimal USD.' }),
]);
const orNull = <T extends ReturnType<typeof Type.Unsafe>>(schema: T) => Type.Union([schema, Type.Null()]);
const amountOrNull = Type.Union([amountSchema, Type.Null()]);
const windowOrNull = Type.Union([oneOf(...WINDOWS), Type.Null()]);
const expiryOrNull = Type.Union([
  Type.String({ maxLength: 64, description: 'ISO 8601 in UTC, such as 2030-01-31T00:00:00Z.' }),
  Type.Null(),
]);
const personOrNull = Type.Union([named(LABEL_CHARACTERS_MAX), Type.Null()]);

const keyKind = oneOf('inference', 'management', 'provider');

const newKey = {
  name: named(LABEL_CHARACTERS_MAX),
  limit: Type.Optional(amountOrNull),
  limit_reset: Type.Optional(windowOrNull),
  expires_at: Type.Optional(expiryOrNull),
  include_byok_in_limit: maybe(Type.Boolean()),
  workspace_id: maybe(named(LABEL_CHARACTERS_MAX)),
  creator_user_id: Type.Optional(personOrNull),
  requests_per_minute: maybe(Type.Integer({ minimum: 1 })),
  kind: Type.Optional(
    Type.Union([keyKind, Type.Null()], { description: 'Only `inference`, the default, can be made here.' }),
  ),
};

/** Body of `POST /keys`. */
export const keyCreateSchema = Type.Object(newKey);
/** Body of `POST /keys/import`: the text of a key that was issued before the prefix change proves its possession. */
export const keyImportSchema = Type.Object({ ...newKey, key: named(LABEL_CHARACTERS_MAX) });
/** Body of `PATCH /keys/{hash}`: in it, null removes a limit, a window, an expiry or an assignment. */
export const keyEditSchema = Type.Object({
  name: maybe(named(LABEL_CHARACTERS_MAX)),
  disabled: maybe(Type.Boolean()),
  limit: Type.Optional(amountOrNull),
  limit_reset: Type.Optional(windowOrNull),
  expires_at: Type.Optional(expiryOrNull),
  include_byok_in_limit: maybe(Type.Boolean()),
  workspace_id: maybe(named(LABEL_CHARACTERS_MAX)),
  creator_user_id: Type.Optional(personOrNull),
});
export type NewKeyBody = Static<typeof keyCreateSchema>;
export type KeyImportBody = Static<typeof keyImportSchema>;
export type KeyEditBody = Static<typeof keyEditSchema>;

/** Checks a body. Throws GatewayError 400 naming the member. */
export function checker<T extends TSchema>(schema: T) {
  const check = Compile(schema);
  return (body: unknown): Static<T> => {
    if (check.Check(body)) return body as Static<T>;
    throw invalid(validationError(schema, body));
  };
}

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
  creator_user_id: orNull(Type.Unsafe<string>(Type.String())),
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
