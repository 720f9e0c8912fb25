/** The parts that the catalogue's schemas share. */
import { type TSchema, Type } from 'typebox';
import { PRICE_KEYS, unitName } from '../../pricing/prices.ts';

export const text = Type.String();
export const texts = Type.Array(text);
export const flag = Type.Boolean();
export const whole = Type.Integer();
export const unixSeconds = Type.Integer({ description: 'Unix seconds.' });
export const maybe = Type.Optional;

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Any members: what a provider declares by names of its own. */
export const declared = Type.Object({}, { additionalProperties: true });

const price = Type.String({ description: 'USD per unit, exact decimal text.' });
const prices = Object.fromEntries(PRICE_KEYS.map((key) => [unitName(key), maybe(price)]));

/** (rule C19) An undeclared unit is absent. */
export const pricingSchema = Type.Object({
  ...prices,
  overrides: maybe(
    Type.Array(
      Type.Object({
        min_prompt_tokens: maybe(Type.Integer({ description: 'Applies where the prompt is strictly longer.' })),
        utc_start: maybe(Type.Integer({ description: 'HHMM.' })),
        utc_end: maybe(Type.Integer({ description: 'HHMM, exclusive.' })),
        utc_days: maybe(texts),
        ...prices,
      }),
      { description: 'Prices under conditions, all of which must hold; the last match per key wins.' },
    ),
  ),
  discount: Type.Number({ description: 'Fraction taken off list to reach these prices; negative above list.' }),
});

export const architectureSchema = Type.Object({
  modality: Type.String({ description: 'Such as `text+image->text`.' }),
  input_modalities: texts,
  output_modalities: texts,
  tokenizer: orNull(text),
  instruct_type: Type.Null(),
});

export const reasoningSchema = Type.Object({
  supported_efforts: maybe(texts),
  mandatory: flag,
  default_effort: maybe(text),
  default_enabled: maybe(flag),
  supports_max_tokens: flag,
});

export const familyName = Type.Object({ id: text, name: text });
