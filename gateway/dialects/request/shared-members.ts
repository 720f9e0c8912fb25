import { Type } from 'typebox';
import { between, LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf } from './members.ts';
import { preferencesSchema } from './preferences-schema.ts';

const MODELS_MAX = 20;
export const STOPS_MAX = 8;
export const CEILING_MAX = 1_048_576;
/** A larger one would reach the provider as another number. */
const SEED_MAX = Number.MAX_SAFE_INTEGER;

const modelId = named(LABEL_CHARACTERS_MAX);

/** Members that chat and text completions share, with the same bounds. (spec: inference, both tables) */
export const sharedMembers = {
  model: maybe(modelId),
  models: maybe(Type.Array(modelId, { maxItems: MODELS_MAX })),
  stream: maybe(Type.Boolean()),
  temperature: maybe(between(0, 2)),
  top_p: maybe(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
  top_k: maybe(Type.Integer({ minimum: -1 })),
  frequency_penalty: maybe(between(-2, 2)),
  presence_penalty: maybe(between(-2, 2)),
  repetition_penalty: maybe(Type.Number({ exclusiveMinimum: 0, maximum: 2 })),
  seed: maybe(Type.Integer({ minimum: -SEED_MAX, maximum: SEED_MAX })),
  stop: maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: STOPS_MAX })])),
  max_tokens: maybe(Type.Integer({ minimum: 1, maximum: CEILING_MAX })),
  user: maybe(Type.String({ maxLength: LABEL_CHARACTERS_MAX })),
  provider: maybe(preferencesSchema),
  route: maybe(oneOf('fallback', 'sort')),
};

/** Tools of one request, and their names, in every dialect. (spec: inference, Limits) */
export const TOOLS_MAX = 1_536;
export const toolName = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' });

/** The levels of `reasoning_effort`. (spec: inference, `reasoning`) */
export const effort = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');

/**
 * The two members that request compression, in every dialect of conversations. (spec: inference, `transforms`,
 * `plugins`)
 */
export const compressionMembers = {
  transforms: maybe(Type.Array(oneOf('middle-out'), { maxItems: NAMES_MAX })),
  plugins: maybe(Type.Array(Type.Object({ id: oneOf('context-compression') }), { maxItems: NAMES_MAX })),
};

/** True when a checked request asks for compression; an empty list does not. */
export function asksCompression(request: {
  readonly transforms?: readonly unknown[] | null;
  readonly plugins?: readonly unknown[] | null;
}): boolean {
  return (request.transforms?.length ?? 0) > 0 || (request.plugins?.length ?? 0) > 0;
}
