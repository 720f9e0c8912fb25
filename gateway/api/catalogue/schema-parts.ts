/** The parts that the catalogue's schemas share. */
import { Type } from 'typebox';
import type { PriceKey } from '../../../actors/terms/tariff.ts';
import { described, orNull } from '../../dialects/request/members.ts';
import { PRICE_KEYS, unitName } from '../../pricing/prices.ts';

export const text = Type.String();
export const texts = Type.Array(text);
export const flag = Type.Boolean();
export const whole = Type.Integer();
export const unixSeconds = Type.Integer({ description: 'Unix seconds.' });
export const maybe = Type.Optional;

/** Any members: what a provider declares by names of its own. */
export const declared = Type.Object({}, { additionalProperties: true });

/** What one unit of each price is. */
const UNITS: Readonly<Record<PriceKey, string>> = {
  prompt: 'a prompt token',
  completion: 'a completion token',
  inputCacheRead: 'a prompt token read from a cache',
  inputCacheWrite: 'a prompt token written to a cache',
  inputCacheWrite1h: 'a prompt token written to a cache for an hour',
  internalReasoning: 'a token of reasoning',
  request: 'the request itself',
  image: 'a picture of the prompt',
  imageOutput: 'a generated picture',
  imageOutputToken: 'a token of a generated picture',
  imageMegapixel: 'a generated megapixel',
  videoSecond: 'a second of rendered video',
  meshOutput: 'a generated mesh',
  audioSecond: 'a second of audio',
  audioOutput: 'a token of generated audio',
  character: 'a character of text to speak',
  search: 'a query with up to 100 documents to rank',
};
const prices = Object.fromEntries(
  PRICE_KEYS.map((key) => [
    unitName(key),
    maybe(Type.String({ description: `USD for ${UNITS[key]}, exact decimal text; absent: not charged.` })),
  ]),
);

/** (rule C19) An undeclared unit is absent. */
export const pricingSchema = Type.Object({
  ...prices,
  overrides: maybe(
    Type.Array(
      Type.Object({
        min_prompt_tokens: maybe(Type.Integer({ description: 'These prices apply where the prompt has more tokens.' })),
        utc_start: maybe(Type.Integer({ description: 'Time of day in UTC at which these prices begin, HHMM.' })),
        utc_end: maybe(Type.Integer({ description: 'Time of day in UTC at which they end, HHMM, exclusive.' })),
        utc_days: maybe(described(texts, 'Weekdays, UTC, on which these prices apply.')),
        ...prices,
      }),
      { description: 'Prices under conditions, all of which must hold; the last match per key wins.' },
    ),
  ),
  discount: Type.Number({ description: 'Fraction taken off list to reach these prices; negative above list.' }),
});

export const architectureSchema = Type.Object({
  modality: Type.String({ description: 'Input and output kinds in one word, such as `text+image->text`.' }),
  input_modalities: described(texts, 'Kinds of content that a prompt may hold, less those that a check refuted.'),
  output_modalities: described(texts, 'Kinds of content that an answer may hold.'),
  tokenizer: orNull(text, 'Family of tokenizers by which prompts are counted; null where unknown.'),
  instruct_type: Type.Null({ description: 'Always null: prompts are not formatted by this service.' }),
});

export const reasoningSchema = Type.Object({
  supported_efforts: maybe(described(texts, 'Levels that `reasoning_effort` may name.')),
  mandatory: described(flag, 'Whether the model reasons on every request.'),
  default_effort: maybe(described(text, 'Level that applies where a request names none.')),
  default_enabled: maybe(described(flag, 'Whether the model reasons where a request says nothing.')),
  supports_max_tokens: described(flag, 'Whether a request may bound the tokens of reasoning.'),
});

export const familyName = Type.Object({
  id: described(text, 'Id of the family, as the filter `family` takes it.'),
  name: described(text, 'Name of the family, for people.'),
});
