import { type Static, Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe, named, oneOf } from '../dialects/request/members.ts';

/** Characters of an amount as text. */
const AMOUNT_CHARACTERS_MAX = 64;

/** USD as a JSON number or as exact decimal text. */
export const amountSchema = Type.Union([
  Type.Number({ minimum: 0, description: 'USD.' }),
  Type.String({ maxLength: AMOUNT_CHARACTERS_MAX, description: 'Exact decimal USD.' }),
]);
const amountOrNull = Type.Union([amountSchema, Type.Null()]);
export const windowOrNull = Type.Union([oneOf('daily', 'weekly', 'monthly'), Type.Null()]);
export const expiryOrNull = Type.Union([
  Type.String({ maxLength: 64, description: 'ISO 8601 in UTC, such as 2030-01-31T00:00:00Z.' }),
  Type.Null(),
]);
const personOrNull = Type.Union([named(LABEL_CHARACTERS_MAX), Type.Null()]);

export const keyKind = oneOf('inference', 'management', 'provider');

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
    Type.Union([keyKind, Type.Null()], {
      description: '`inference`, the default, or `management`. Only the operator makes `provider` keys.',
    }),
  ),
};

/** A new key: body of `POST /keys`. */
export const keyCreateSchema = Type.Object(newKey);
/** Body of `POST /keys/import`: the text of a key that was issued before the prefix change proves its possession. */
export const keyImportSchema = Type.Object({ ...newKey, key: named(LABEL_CHARACTERS_MAX) });
/** A change, body of `PATCH /keys/{hash}`: null removes a limit, a window, an expiry or an assignment. */
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
export type KeyEditBody = Static<typeof keyEditSchema>;
