import { type TSchema, Type } from 'typebox';

/**
 * The parameters of requests, one row each: what validates, types, publishes, forwards, requires, declares and names a
 * parameter reads this table. A parameter whose value has a form of its own in each dialect (`tools`) has no bounds
 * here; its schema stands in the dialects.
 */
export interface RequestParameter {
  /** Types of output of which an endpoint may declare it. */
  readonly outputs: readonly ('text' | 'image' | 'audio' | 'video' | 'embeddings' | 'rerank')[];
  /** Bounds of its value, by dialect that has it under this name. `images` are also those of `image_config` in chat. */
  readonly bounds?: {
    readonly [dialect in
      | 'chat'
      | 'completions'
      | 'messages'
      | 'responses'
      | 'embeddings'
      | 'images'
      | 'rerank']?: TSchema;
  };
  /** What it does, published with the bounds. */
  readonly words?: string;
  /** It sets nothing but itself: sent unchanged, under this name, to endpoints that declare it. */
  readonly forwarded?: true;
  /** Applied where declared; disqualifies an endpoint only when every parameter is required. */
  readonly advisory?: true;
  /** A models document may recommend a value within the bounds of chat: what it has to be, in words. */
  readonly recommended?: string;
  /** The name under which a provider's refusal shows it, where that is another one. */
  readonly shown?: string;
}

export const STOPS_MAX = 8;
export const CEILING_MAX = 1_048_576;
/** A larger one would reach the provider as another number. */
const SEED_MAX = Number.MAX_SAFE_INTEGER;
const ANSWERS_MAX = 1;
const IMAGES_MAX = 10;
const SETTING_CHARACTERS_MAX = 64;
const LABEL_CHARACTERS_MAX = 256;
const DIMENSIONS_MAX = 65_536;
const ALTERNATIVES_MAX = 20;

const between = (minimum: number, maximum: number) => Type.Number({ minimum, maximum });
const integer = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
const above0 = (maximum: number) => Type.Number({ exclusiveMinimum: 0, maximum });

const temperature = between(0, 2);
const penalty = between(-2, 2);
const topK = Type.Integer({ minimum: -1 });
const seed = integer(-SEED_MAX, SEED_MAX);
const stop = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: STOPS_MAX })]);
const ceiling = integer(1, CEILING_MAX);
const word = Type.String({ minLength: 1, maxLength: SETTING_CHARACTERS_MAX });

/** The parameters and their bounds. (rule I3) */
export const PARAMETERS = {
  temperature: {
    words: 'How random sampling is.',
    outputs: ['text'],
    bounds: { chat: temperature, completions: temperature, messages: temperature, responses: temperature },
    forwarded: true,
    recommended: 'a number, 0 to 2',
  },
  top_p: {
    words: 'Sampling considers the likeliest tokens that have this probability together.',
    outputs: ['text'],
    bounds: { chat: above0(1), completions: above0(1), messages: between(0, 1), responses: between(0, 1) },
    forwarded: true,
    recommended: 'a number above 0, at most 1',
  },
  top_k: {
    words: 'Sampling considers this many tokens.',
    outputs: ['text'],
    bounds: { chat: topK, completions: topK, messages: Type.Integer({ minimum: 0 }) },
    forwarded: true,
    recommended: 'a whole number, -1 or more',
  },
  min_p: {
    words: 'Least likelihood of a token, relative to the likeliest.',
    outputs: ['text'],
    bounds: { chat: between(0, 1) },
    forwarded: true,
  },
  top_a: {
    words: 'Least likelihood of a token, relative to the square of the likeliest.',
    outputs: ['text'],
    bounds: { chat: between(0, 1) },
  },
  frequency_penalty: {
    words: 'Makes tokens less likely the more often they occurred.',
    outputs: ['text'],
    bounds: { chat: penalty, completions: penalty },
    forwarded: true,
  },
  presence_penalty: {
    words: 'Makes tokens less likely that have occurred.',
    outputs: ['text'],
    bounds: { chat: penalty, completions: penalty },
    forwarded: true,
  },
  repetition_penalty: {
    words: 'Makes tokens less likely that the text has.',
    outputs: ['text'],
    bounds: { chat: above0(2), completions: above0(2) },
    forwarded: true,
    recommended: 'a number above 0, at most 2',
  },
  seed: {
    words: 'Makes sampling repeatable where the model allows it.',
    outputs: ['text', 'image', 'video'],
    bounds: { chat: seed, completions: seed, images: seed },
    forwarded: true,
  },
  stop: {
    words: 'Texts at which the answer ends.',
    outputs: ['text'],
    bounds: { chat: stop, completions: stop },
    forwarded: true,
  },
  suffix: {
    words: 'Text behind the gap that is filled in.',
    outputs: ['text'],
    bounds: { completions: Type.String() },
    forwarded: true,
  },
  logit_bias: {
    words: 'Added to the likelihood of tokens, by token id.',
    outputs: ['text'],
    bounds: { chat: Type.Record(Type.String(), Type.Union([between(-100, 100), Type.Null()])) },
    forwarded: true,
  },
  logprobs: {
    words: 'Log probabilities of the tokens.',
    outputs: ['text'],
    bounds: { chat: Type.Boolean() },
    forwarded: true,
  },
  top_logprobs: {
    words: 'Number of alternatives with their log probabilities.',
    outputs: ['text'],
    bounds: { chat: integer(0, ALTERNATIVES_MAX) },
    forwarded: true,
  },
  enable_thinking: {
    words: 'Whether the model reasons, where it can be switched.',
    outputs: ['text'],
    bounds: { chat: Type.Boolean() },
    forwarded: true,
    advisory: true,
  },
  max_tokens: {
    words: 'Ceiling of the answer, or of its reasoning, in tokens.',
    outputs: ['text'],
    bounds: { chat: ceiling, completions: ceiling },
  },
  max_completion_tokens: {
    words: 'Ceiling of the answer in tokens.',
    outputs: ['text'],
    bounds: { chat: ceiling },
    shown: 'max_tokens',
  },
  structured_outputs: {
    words: 'Whether the answer must fit a JSON Schema.',
    outputs: ['text'],
    bounds: { chat: Type.Boolean() },
  },
  include_reasoning: {
    words: 'false: reasoning is not returned.',
    outputs: ['text'],
    bounds: { chat: Type.Boolean() },
  },
  parallel_tool_calls: {
    words: 'Whether an answer may call several tools.',
    outputs: ['text'],
    bounds: { chat: Type.Boolean(), responses: Type.Boolean() },
    advisory: true,
  },
  response_format: { outputs: ['text'] },
  tools: { outputs: ['text'] },
  tool_choice: { outputs: ['text'] },
  reasoning: { outputs: ['text'] },
  reasoning_effort: { outputs: ['text'] },
  verbosity: { outputs: ['text'] },
  n: {
    words: 'How many answers or pictures.',
    outputs: ['text', 'image'],
    bounds: { chat: integer(1, ANSWERS_MAX), images: integer(1, IMAGES_MAX) },
  },
  resolution: {
    words: 'A tier that the model declares, such as 1K, 2K or 4K.',
    outputs: ['image', 'video'],
    bounds: { images: word },
  },
  aspect_ratio: { words: 'Width to height, such as 16:9.', outputs: ['image', 'video'], bounds: { images: word } },
  size: {
    words: 'WIDTHxHEIGHT in pixels, or a tier such as 1K or 2K.',
    outputs: ['image', 'video'],
    bounds: { images: word },
  },
  quality: {
    words: 'A word that the model declares, such as low, medium or high.',
    outputs: ['image'],
    bounds: { images: word },
  },
  output_format: {
    words: 'File format that the model declares, such as png, jpeg or webp.',
    outputs: ['image'],
    bounds: { images: word },
  },
  background: {
    words: 'A word that the model declares: transparent, opaque or auto.',
    outputs: ['image'],
    bounds: { images: word },
  },
  output_compression: {
    words: 'Compression of the picture, percent.',
    outputs: ['image'],
    bounds: { images: integer(0, 100) },
  },
  voice: { outputs: ['audio'] },
  format: { outputs: ['audio'] },
  speed: { outputs: ['audio'] },
  language: { outputs: ['audio'] },
  duration: { outputs: ['video'] },
  generate_audio: { outputs: ['video'] },
  frame_images: { outputs: ['video'] },
  input_references: { outputs: ['audio', 'video'] },
  dimensions: {
    words: 'The width of the vectors, as declared.',
    outputs: ['embeddings'],
    bounds: { embeddings: integer(1, DIMENSIONS_MAX) },
    forwarded: true,
  },
  input_type: {
    words: 'What a text is embedded for, as declared: search_query, search_document.',
    outputs: ['embeddings'],
    bounds: { embeddings: Type.String({ minLength: 1, maxLength: LABEL_CHARACTERS_MAX }) },
    forwarded: true,
  },
  encoding_format: { outputs: ['embeddings'] },
  max_tokens_per_doc: {
    words: 'Tokens of a document that the model reads; it ignores the rest.',
    outputs: ['rerank'],
    bounds: { rerank: integer(1, CEILING_MAX) },
    forwarded: true,
  },
} as const satisfies Readonly<Record<string, RequestParameter>>;

/** The same rows, for readers that walk over them. */
export const PARAMETER_ROWS: readonly (readonly [string, RequestParameter])[] = Object.entries(PARAMETERS);
