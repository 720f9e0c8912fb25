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
  order: maybe(slugs, 'Provider slugs or endpoint tags, tried in this order before others.'),
  allow_fallbacks: maybe(Type.Boolean(), 'false: only the first endpoint is tried.'),
  require_parameters: maybe(Type.Boolean(), 'true: only endpoints that declare every parameter of the request.'),
  data_collection: maybe(oneOf('allow', 'deny'), 'deny: only endpoints that do not train on prompts.'),
  zdr: maybe(Type.Boolean(), 'true: only endpoints vetted for zero data retention.'),
  only: maybe(slugs, 'Provider slugs or endpoint tags that may serve; no others.'),
  ignore: maybe(slugs, 'Provider slugs or endpoint tags that may not serve.'),
  quantizations: maybe(Type.Array(quantization, { maxItems: NAMES_MAX }), 'Number formats of weights that may serve.'),
  sort: maybe(
    Type.Union([
      sortWord,
      Type.Object({
        by: maybe(sortWord, 'The figure by which endpoints are ordered.'),
        partition: maybe(
          oneOf('model', 'none'),
          'model: sorts the endpoints of each model by itself. none: those of all models together.',
        ),
      }),
    ]),
    'What endpoints are ordered by instead of health and price together.',
  ),
  max_price: maybe(
    Type.Object({
      prompt: maybe(price, 'Highest price of a million prompt tokens.'),
      completion: maybe(price, 'Highest price of a million completion tokens.'),
      request: maybe(price, 'Highest price of the request itself.'),
      image_output: maybe(price, 'Highest price of a generated picture.'),
      video_second: maybe(price, 'Highest price of a second of rendered video.'),
      image_megapixel: maybe(price, 'Highest price of a generated megapixel.'),
      audio_second: maybe(price, 'Highest price of a second of audio.'),
      image: maybe(price, 'Without effect.'),
      audio: maybe(price, 'Without effect.'),
    }),
    'Endpoints that cost more are not used, USD: prompt and completion per million tokens, the rest per unit. image and audio have no effect.',
  ),
  options: maybe(
    Type.Record(Type.String(), Type.Union([opaque(), Type.Null()])),
    'Passthrough parameters by provider slug, each checked against what its endpoint declares.',
  ),
});

export type WirePreferences = Static<typeof preferencesSchema>;
