import { type Static, Type } from 'typebox';
import { described, LABEL_CHARACTERS_MAX, maybe, named, oneOf } from '../dialects/request/members.ts';

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
  name: described(named(LABEL_CHARACTERS_MAX), "The key's name, 1 to 256 characters."),
  limit: Type.Optional(described(amountOrNull, 'What the key may spend per window, USD; null without a limit.')),
  limit_reset: Type.Optional(
    described(windowOrNull, 'When the spend returns to zero: daily, weekly or monthly in UTC; null: never.'),
  ),
  expires_at: Type.Optional(described(expiryOrNull, 'When the key stops to authenticate; null: never.')),
  include_byok_in_limit: maybe(Type.Boolean(), "Accepted without effect: there are no keys of one's own."),
  workspace_id: maybe(
    named(LABEL_CHARACTERS_MAX),
    "Id or slug of the workspace whose rules the key's requests follow.",
  ),
  creator_user_id: Type.Optional(
    described(personOrNull, "Member of the workspace to whom the key's spend is attributed; null for none."),
  ),
  requests_per_minute: maybe(Type.Integer({ minimum: 1 }), 'Requests of the key in a minute; null for the usual 120.'),
  kind: Type.Optional(
    Type.Union([keyKind, Type.Null()], {
      description: '`inference`, the default, or `management`. Only the operator makes `provider` keys.',
    }),
  ),
};

/** A new key: body of `POST /keys`. */
export const keyCreateSchema = Type.Object(newKey);
/** Body of `POST /keys/import`: the text of a key that was issued before the prefix change proves its possession. */
export const keyImportSchema = Type.Object({
  ...newKey,
  key: described(named(LABEL_CHARACTERS_MAX), 'The text of a key that was issued before the prefix change.'),
});
/** A change, body of `PATCH /keys/{hash}`: null removes a limit, a window, an expiry or an assignment. */
export const keyEditSchema = Type.Object({
  name: maybe(named(LABEL_CHARACTERS_MAX), "The key's name, 1 to 256 characters."),
  disabled: maybe(Type.Boolean(), 'true: requests with the key are answered 401 until it is enabled again.'),
  limit: Type.Optional(described(amountOrNull, 'What the key may spend per window, USD; null without a limit.')),
  limit_reset: Type.Optional(
    described(windowOrNull, 'When the spend returns to zero: daily, weekly or monthly in UTC; null: never.'),
  ),
  expires_at: Type.Optional(described(expiryOrNull, 'When the key stops to authenticate; null: never.')),
  include_byok_in_limit: maybe(Type.Boolean(), "Accepted without effect: there are no keys of one's own."),
  workspace_id: maybe(
    named(LABEL_CHARACTERS_MAX),
    "Id or slug of the workspace whose rules the key's requests follow.",
  ),
  creator_user_id: Type.Optional(
    described(personOrNull, "Member of the workspace to whom the key's spend is attributed; null for none."),
  ),
});
export type NewKeyBody = Static<typeof keyCreateSchema>;
export type KeyEditBody = Static<typeof keyEditSchema>;
