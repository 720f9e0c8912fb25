import { type Static, type TSchema, Type } from '@sinclair/typebox';

/**
 * The chat request as it may stand on the wire: every member that the house reads, with its bounds. Unknown members
 * are allowed and read by nobody. `maybe` marks an optional member whose explicit null reads as absent.
 * (spec: inference, Chat completion request; conventions 1.1)
 */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const oneOf = <T extends string>(...words: T[]) =>
  Type.Unsafe<T>(Type.String({ enum: words, pattern: `^(?:${words.join('|')})$` }));
const number = (minimum: number, maximum: number) => Type.Number({ minimum, maximum });

const NAMES_MAX = 100;
const modelId = Type.String({ minLength: 1, maxLength: 256 });
const slugs = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: NAMES_MAX });
const label = Type.String({ maxLength: 256 });
const object = Type.Object({});

const textPart = Type.Object({ type: Type.Literal('text'), text: Type.String() });
const urlOf = (...extra: [] | [{ detail: TSchema }]) =>
  Type.Object({ url: Type.String({ minLength: 1 }), ...extra[0] });
const part = Type.Union([
  textPart,
  Type.Object({ type: Type.Literal('image_url'), image_url: urlOf({ detail: maybe(Type.String()) }) }),
  Type.Object({ type: Type.Literal('video_url'), video_url: urlOf() }),
  Type.Object({ type: Type.Literal('audio_url'), audio_url: urlOf() }),
  Type.Object({
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
  }),
  Type.Object({
    type: Type.Literal('file'),
    file: Type.Object({
      filename: maybe(Type.String()),
      file_data: maybe(Type.String()),
      file_id: maybe(Type.String()),
    }),
  }),
]);
const text = Type.Union([Type.String(), Type.Array(textPart)]);

const toolCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: maybe(Type.Literal('function')),
  function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
});

const message = Type.Union([
  Type.Object({ role: Type.Literal('system'), content: text, name: maybe(Type.String()) }),
  Type.Object({ role: Type.Literal('developer'), content: text, name: maybe(Type.String()) }),
  Type.Object({
    role: Type.Literal('user'),
    content: Type.Union([Type.String(), Type.Array(part, { minItems: 1 })]),
    name: maybe(Type.String()),
  }),
  Type.Object({
    role: Type.Literal('assistant'),
    content: maybe(text),
    tool_calls: maybe(Type.Array(toolCall)),
    refusal: maybe(Type.String()),
    name: maybe(Type.String()),
  }),
  Type.Object({ role: Type.Literal('tool'), content: text, tool_call_id: Type.String({ minLength: 1 }) }),
]);

const toolName = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' });
const tool = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: toolName,
    description: maybe(Type.String()),
    parameters: maybe(object),
    strict: maybe(Type.Boolean()),
  }),
});

const effort = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');
const sortWord = oneOf('price', 'throughput', 'latency', 'exacto');
const price = Type.Union([Type.String({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,40})?$' }), number(0, 1e9)]);

const preferences = Type.Object({
  order: maybe(slugs),
  allow_fallbacks: maybe(Type.Boolean()),
  require_parameters: maybe(Type.Boolean()),
  data_collection: maybe(oneOf('allow', 'deny')),
  zdr: maybe(Type.Boolean()),
  only: maybe(slugs),
  ignore: maybe(slugs),
  quantizations: maybe(Type.Array(Type.String({ minLength: 1, maxLength: 32 }), { maxItems: NAMES_MAX })),
  sort: maybe(Type.Union([sortWord, Type.Object({ by: maybe(sortWord), partition: maybe(oneOf('model', 'none')) })])),
  max_price: maybe(Type.Object({ prompt: maybe(price), completion: maybe(price), request: maybe(price) })),
  options: maybe(Type.Record(Type.String(), object)),
});

export const chatRequest = Type.Object({
  model: maybe(modelId),
  models: maybe(Type.Array(modelId, { maxItems: 20 })),
  messages: Type.Array(message, { minItems: 1 }),
  stream: maybe(Type.Boolean()),
  store: maybe(Type.Boolean()),
  enable_thinking: maybe(Type.Boolean()),
  stream_options: maybe(
    Type.Object({ include_usage: maybe(Type.Boolean()), include_tool_dispatch: maybe(Type.Boolean()) }),
  ),
  temperature: maybe(number(0, 2)),
  top_p: maybe(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  top_k: maybe(Type.Integer({ minimum: -1 })),
  min_p: maybe(number(0, 1)),
  top_a: maybe(number(0, 1)),
  frequency_penalty: maybe(number(-2, 2)),
  presence_penalty: maybe(number(-2, 2)),
  repetition_penalty: maybe(Type.Number({ exclusiveMinimum: 0, maximum: 2 })),
  seed: maybe(Type.Integer()),
  stop: maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 8 })])),
  max_tokens: maybe(Type.Integer({ minimum: 1, maximum: 1_048_576 })),
  max_completion_tokens: maybe(Type.Integer({ minimum: 1, maximum: 1_048_576 })),
  logit_bias: maybe(Type.Record(Type.String(), number(-100, 100))),
  logprobs: maybe(Type.Boolean()),
  top_logprobs: maybe(Type.Integer({ minimum: 0, maximum: 20 })),
  response_format: maybe(
    Type.Union([
      Type.Object({ type: Type.Literal('text') }),
      Type.Object({ type: Type.Literal('json_object') }),
      Type.Object({ type: Type.Literal('json_schema'), json_schema: object }),
    ]),
  ),
  structured_outputs: maybe(Type.Boolean()),
  tools: maybe(Type.Array(tool, { maxItems: 1_536 })),
  tool_choice: maybe(
    Type.Union([
      oneOf('none', 'auto', 'required'),
      Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: toolName }) }),
    ]),
  ),
  parallel_tool_calls: maybe(Type.Boolean()),
  reasoning: maybe(
    Type.Object({
      effort: maybe(effort),
      max_tokens: maybe(Type.Integer({ minimum: 1 })),
      exclude: maybe(Type.Boolean()),
      enabled: maybe(Type.Boolean()),
    }),
  ),
  reasoning_effort: maybe(effort),
  include_reasoning: maybe(Type.Boolean()),
  verbosity: maybe(oneOf('low', 'medium', 'high')),
  n: maybe(Type.Integer({ minimum: 1, maximum: 1 })),
  user: maybe(label),
  session_id: maybe(label),
  prompt_cache_key: maybe(label),
  metadata: maybe(object),
  modalities: maybe(Type.Array(oneOf('text', 'image', 'audio'), { maxItems: NAMES_MAX })),
  image_config: maybe(object),
  audio: maybe(
    Type.Object({ voice: Type.String({ minLength: 1 }), format: oneOf('wav', 'mp3', 'flac', 'opus', 'pcm16', 'aac') }),
  ),
  provider: maybe(preferences),
  route: maybe(oneOf('fallback', 'sort')),
  transforms: maybe(Type.Array(oneOf('middle-out'), { maxItems: NAMES_MAX })),
  plugins: maybe(Type.Array(Type.Object({ id: oneOf('context-compression') }), { maxItems: NAMES_MAX })),
  usage: maybe(Type.Object({ include: maybe(Type.Boolean()) })),
});

export type ChatRequest = Static<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];
export type ChatPart = Static<typeof part>;
