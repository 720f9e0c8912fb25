/**
 * The wire shape of a models document: the one source of its check, its types and its published JSON Schema. One object
 * per model; its modalities own their limits, parameters and prices. A description completes the sentence "must be ..."
 * of a validation error. (rule C46)
 */
import { type Static, type TSchema, Type } from 'typebox';
import { TURN_DIALECTS } from '../../../actors/terms/endpoint.ts';
import { PARAMETER_ROWS } from '../../terms/parameters.ts';
import { wireSchema } from '../presets/wire-schema.ts';
import { familySchema, modelHubSchema, tagsSchema } from './facts-schema.ts';
import { frameSchema, videoSchema } from './video-schema.ts';

/** Declared models of one provider; a document with more is invalid. */
const MODELS_MAX = 2_000;
const ENTRIES_MAX = 256;
const NAME_CHARS_MAX = 256;
const TEXT_CHARS_MAX = 65_536;

const closed = { additionalProperties: false } as const;

function oneOf<const T extends string>(...values: readonly T[]) {
  return Type.Unsafe<T>(Type.String({ enum: values, description: `one of ${values.join(', ')}` }));
}

function list<T extends TSchema>(items: T, description: string, minItems = 0) {
  return Type.Array(items, { description, minItems, maxItems: ENTRIES_MAX });
}

function map<T extends TSchema>(values: T, description: string) {
  const name = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.:-]{0,127}$' });
  return Type.Record(name, values, { description, ...closed, maxProperties: ENTRIES_MAX });
}

function media(pattern: string, example: string) {
  return Type.String({ pattern, maxLength: NAME_CHARS_MAX, description: `a media type such as ${example}` });
}

const flag = Type.Boolean({ description: 'true or false' });
const name = Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, description: 'text of 1 to 256 characters' });
const prose = Type.String({ maxLength: TEXT_CHARS_MAX, description: 'text' });
const number = Type.Number({ description: 'a number' });
const whole = Type.Integer({ description: 'a whole number' });
const count = Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'a whole number, 1 or more' });

const scalar = Type.Union([Type.String({ maxLength: NAME_CHARS_MAX }), Type.Number(), Type.Boolean()], {
  description: 'text, a number, true or false',
});
const unit = Type.Optional(oneOf('second', 'pixel', 'byte', 'token', 'character'));
/** `default`: the value that the provider uses for an omitted parameter. */
const preset = { default: Type.Optional(scalar) };

/** The allowed values of a parameter. (rule I36) */
const self = Type.Ref('Descriptor');
const descriptor = Type.Cyclic(
  {
    Descriptor: Type.Union(
      [
        Type.Object(
          { type: Type.Literal('range'), min: number, max: number, step: Type.Optional(number), unit, ...preset },
          closed,
        ),
        Type.Object(
          { type: Type.Literal('integer'), min: Type.Optional(whole), max: Type.Optional(whole), unit, ...preset },
          closed,
        ),
        Type.Object({ type: Type.Literal('boolean'), ...preset }, closed),
        Type.Object({ type: Type.Literal('enum'), values: list(scalar, 'a list of values', 1), ...preset }, closed),
        Type.Object(
          {
            type: Type.Literal('array'),
            items: Type.Optional(self),
            min_items: Type.Optional(whole),
            max_items: Type.Optional(count),
          },
          closed,
        ),
        Type.Object(
          { type: Type.Literal('object'), properties: Type.Optional(map(self, 'descriptors by name')) },
          closed,
        ),
        Type.Object({ type: Type.Literal('unknown') }, closed),
      ],
      { description: 'a descriptor, such as {"type": "range", "min": 0, "max": 2}' },
    ),
  },
  'Descriptor',
);
const parameters = map(descriptor, 'descriptors by parameter name');

const price = Type.String({
  pattern: '^[0-9]{1,12}(\\.[0-9]{1,40})?$',
  description: 'a decimal number as text, such as "0.0000005"',
});
/** A price with a condition on the request; prices whose condition the catalogue cannot evaluate are dropped. */
const override = Type.Object(
  {
    when: Type.Object({}, { description: 'a condition, such as {"prompt_tokens": {"gte": 200001}}' }),
    cost_usd: price,
  },
  { ...closed, description: 'a conditional price: {"when": {...}, "cost_usd": "..."}' },
);
const clock = Type.Integer({
  minimum: 0,
  maximum: 2359,
  description: 'a UTC clock time, hours and minutes as in 130 or 2359',
});
const day = oneOf('sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday');
const priced = {
  unit: oneOf('token', 'image', 'megapixel', 'second', 'character', 'request', 'search'),
  cost_usd: price,
  overrides: Type.Optional(list(override, 'a list of conditional prices')),
};
const windowed = {
  utc_start: Type.Optional(clock),
  utc_end: Type.Optional(clock),
  utc_days: Type.Optional(list(day, 'a list of weekdays', 1)),
};
const cached = { ttl_seconds: Type.Optional(count), implicit: Type.Optional(flag) };
const inputPrice = Type.Object(
  { type: oneOf('prompt', 'cached_prompt', 'cache_write'), ...priced, ...windowed, ...cached },
  { ...closed, description: 'a price' },
);
const outputPrice = Type.Object(
  { type: oneOf('completion', 'internal_reasoning'), ...priced, ...windowed },
  { ...closed, description: 'a price' },
);
const requestPrice = Type.Object(
  { type: oneOf('request', 'web_search'), ...priced, ...windowed },
  { ...closed, description: 'a price' },
);

const capacity = Type.Optional(
  list(
    Type.Object(
      { type: name, unit: name, per: Type.Optional(oneOf('minute', 'hour', 'day')), value: count },
      { ...closed, description: 'a capacity' },
    ),
    'a list of capacities',
  ),
);
const limit = Type.Object({ value: count, unit }, { ...closed, description: 'a limit, such as {"value": 131072}' });
const seconds = Type.Object(
  { value: Type.Number({ exclusiveMinimum: 0, description: 'a number above 0' }), unit },
  { ...closed, description: 'a limit, such as {"value": 60}' },
);
function choice<T extends TSchema>(values: T) {
  return Type.Object(
    { type: Type.Literal('enum', { description: '"enum"' }), values: list(values, 'a list of values', 1) },
    { ...closed, description: '{"type": "enum", "values": [...]}' },
  );
}

const inputShared = { pricing: Type.Optional(list(inputPrice, 'a list of prices')), capacity };
const inputPassed = { passthrough_parameters: Type.Optional(parameters) };
const textInput = Type.Object(
  {
    type: Type.Literal('text'),
    supported_inputs: Type.Optional(
      Type.Object({ max_context_length: Type.Optional(limit), max_prompt_length: Type.Optional(limit) }, closed),
    ),
    ...inputShared,
    ...inputPassed,
  },
  closed,
);
function mediaInput<const T extends string>(type: T, formats: TSchema) {
  const supported = {
    sources: Type.Optional(choice(oneOf('url', 'base64'))),
    formats: Type.Optional(choice(formats) as ReturnType<typeof choice<ReturnType<typeof media>>>),
    detail_levels: Type.Optional(choice(oneOf('auto', 'low', 'high', 'original'))),
    max_duration_seconds: Type.Optional(seconds),
    max_content_size_bytes: Type.Optional(limit),
  };
  return Type.Object(
    {
      type: Type.Literal(type),
      supported_inputs: Type.Optional(Type.Object(supported, closed)),
      ...inputShared,
      ...inputPassed,
    },
    closed,
  );
}
const inputModality = Type.Union(
  [
    textInput,
    mediaInput('image', media('^image/[a-z0-9.+-]+$', 'image/png')),
    mediaInput('audio', media('^audio/[a-z0-9.+-]+$', 'audio/wav')),
    mediaInput('video', media('^video/[a-z0-9.+-]+$', 'video/mp4')),
    mediaInput('file', media('^[a-z]+/[a-z0-9.+-]+$', 'application/pdf')),
  ],
  { description: 'an input modality, such as {"type": "text"}' },
);

const outputModality = Type.Object(
  {
    video: Type.Optional(videoSchema),
    image: Type.Optional(Type.Object({ frame: frameSchema }, { ...closed, description: '{"frame": {...}}' })),
    type: oneOf('text', 'image', 'audio', 'video', 'speech', 'transcription', 'embeddings', 'rerank'),
    supported_parameters: parameters,
    streaming: Type.Optional(flag),
    max_length: Type.Optional(limit),
    pricing: Type.Optional(list(outputPrice, 'a list of prices')),
    capacity,
    ...inputPassed,
  },
  { ...closed, description: 'an output modality, such as {"type": "text", "supported_parameters": {}}' },
);

const datacenter = Type.Object(
  {
    country_code: Type.String({ pattern: '^[A-Z]{2}$', description: 'a two-letter country code such as DE' }),
    region: Type.Optional(name),
  },
  { ...closed, description: 'a datacenter, such as {"country_code": "DE"}' },
);

/** The gateway sends these values for members that a request omits. (rule C6) */
const defaults = Type.Unsafe<Readonly<Record<string, number>>>(
  Type.Object(Object.fromEntries(PARAMETER_ROWS.flatMap(recommended)), {
    ...closed,
    description: 'recommended sampling, such as {"temperature": 0.7}',
  }),
);

function recommended([name, { bounds, recommended: description }]: (typeof PARAMETER_ROWS)[number]) {
  if (bounds?.chat === undefined || description === undefined) return [];
  return [[name, Type.Optional({ ...bounds.chat, description })] as const];
}

/** Members of a document that are ours. (rule C46) */
const extensions = {
  slug: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: '^[A-Za-z0-9._~-]+/[A-Za-z0-9._~:-]+$',
      description: 'the id in the catalogue, author/slug',
    }),
  ),
  ceiling_parameter: Type.Optional(oneOf('max_tokens', 'max_completion_tokens')),
  cancellable: Type.Optional(flag),
  dialect: Type.Optional(oneOf(...TURN_DIALECTS)),
  wire: Type.Optional(wireSchema),
  default_parameters: Type.Optional(defaults),
  family: Type.Optional(familySchema),
  tags: Type.Optional(tagsSchema),
  model_hub: Type.Optional(modelHubSchema),
  data_policy: Type.Optional(
    Type.Object(
      {
        training: flag,
        retention_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500, description: 'days, 0 or more' })),
      },
      { ...closed, description: 'a data policy, such as {"training": false, "retention_days": 0}' },
    ),
  ),
};

const model = Type.Object(
  {
    schema_version: Type.String({ pattern: '^2\\.\\d+$', description: 'the version of this shape, "2.4"' }),
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'the name by which the provider knows the model, 1 to 200 characters',
    }),
    object: Type.Optional(Type.Literal('model', { description: '"model"' })),
    owned_by: Type.Optional(name),
    hugging_face_id: Type.Optional(Type.Union([prose, Type.Null()], { description: 'a repository id' })),
    name,
    created: Type.Integer({ minimum: 0, maximum: 1e11, description: 'the release date in Unix seconds' }),
    description: Type.Optional(prose),
    quantization: Type.Optional(
      Type.Union(
        [
          oneOf(
            ...(['int2', 'int3', 'int4', 'int8', 'fp4', 'mxfp4', 'nvfp4', 'fp6', 'fp8', 'mxfp8', 'fp16'] as const),
            ...(['bf16', 'fp32'] as const),
          ),
          Type.Null(),
        ],
        { description: 'a quantization such as fp8, or null' },
      ),
    ),
    tokenizer: Type.Optional(name),
    deprecation_date: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?Z)?$',
        description: 'a date such as 2027-01-31',
      }),
    ),
    is_ready: Type.Optional(flag),
    is_free: Type.Optional(flag),
    input_modalities: list(inputModality, 'a list of input modalities', 1),
    output_modalities: list(outputModality, 'a list of output modalities', 1),
    passthrough_parameters: Type.Optional(parameters),
    pricing: Type.Optional(list(requestPrice, 'a list of prices')),
    capacity,
    discount_to_user: Type.Optional(
      Type.Number({ minimum: -100, exclusiveMaximum: 1, description: 'a fraction below 1, negative for a markup' }),
    ),
    datacenters: Type.Optional(list(datacenter, 'a list of datacenters')),
    deployment_region: Type.Optional(name),
    compliance: Type.Optional(map(flag, 'claims by name, such as {"zdr": true}')),
    ...extensions,
  },
  { ...closed, description: 'a model' },
);

export const documentSchema = Type.Object(
  {
    $schema: Type.Optional(prose),
    object: Type.Optional(Type.Literal('list', { description: '"list"' })),
    data: Type.Array(model, { maxItems: MODELS_MAX, description: 'a list of models' }),
  },
  { ...closed, title: 'Models document', description: 'a models document, {"data": [...]}' },
);

export type ModelsDocument = Static<typeof documentSchema>;
export type DeclaredModel = Static<typeof model>;
export type DeclaredDescriptor = Static<typeof descriptor>;
export type InputModality = DeclaredModel['input_modalities'][number];
export type OutputModality = DeclaredModel['output_modalities'][number];
export type DeclaredPrice = Static<typeof inputPrice> | Static<typeof outputPrice> | Static<typeof requestPrice>;
