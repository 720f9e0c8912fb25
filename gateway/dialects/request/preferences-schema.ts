import { type Static, Type } from 'typebox';
import { between, LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf, opaque } from './members.ts';

/** Decimals of a price cap as text; a JSON number is checked against the same bound once written out. */
export const PRICE_DECIMALS_MAX = 40;

const slugs = Type.Array(named(LABEL_CHARACTERS_MAX), { maxItems: NAMES_MAX });
const sortWord = oneOf('price', 'throughput', 'latency', 'exacto');
const price = Type.Union([
  Type.String({ pattern: `^[0-9]{1,12}(\\.[0-9]{1,${PRICE_DECIMALS_MAX}})?$`, maxLength: 64 }),
  between(0, 1e12),
]);
const quantization = oneOf(
  'int2',
  'int3',
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
);

/** Provider preferences on the wire, the same in every dialect. (rule I28) */
export const preferencesSchema = Type.Object({
  order: maybe(slugs),
  allow_fallbacks: maybe(Type.Boolean()),
  require_parameters: maybe(Type.Boolean()),
  data_collection: maybe(oneOf('allow', 'deny')),
  zdr: maybe(Type.Boolean()),
  only: maybe(slugs),
  ignore: maybe(slugs),
  quantizations: maybe(Type.Array(quantization, { maxItems: NAMES_MAX })),
  sort: maybe(Type.Union([sortWord, Type.Object({ by: maybe(sortWord), partition: maybe(oneOf('model', 'none')) })])),
  max_price: maybe(
    Type.Object(
      {
        prompt: maybe(price),
        completion: maybe(price),
        request: maybe(price),
        image_output: maybe(price),
        video_second: maybe(price),
        image_megapixel: maybe(price),
        audio_second: maybe(price),
        image: maybe(price),
        audio: maybe(price),
      },
      {
        description:
          'USD: prompt and completion per million tokens, the rest per unit. image and audio have no effect.',
      },
    ),
  ),
  options: maybe(
    Type.Record(Type.String(), Type.Union([opaque(), Type.Null()]), {
      description: 'Passthrough parameters by provider slug, each checked against what its endpoint declares.',
    }),
  ),
});

export type WirePreferences = Static<typeof preferencesSchema>;
