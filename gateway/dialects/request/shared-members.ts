import { Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf } from './members.ts';
import { preferencesSchema } from './preferences-schema.ts';

const MODELS_MAX = 20;

const modelId = named(LABEL_CHARACTERS_MAX);

/** Members that are no parameters of an endpoint and that dialects share. (rule I3) */
export const sharedMembers = {
  model: maybe(modelId),
  models: maybe(Type.Array(modelId, { maxItems: MODELS_MAX })),
  stream: maybe(Type.Boolean()),
  user: maybe(Type.String({ maxLength: LABEL_CHARACTERS_MAX })),
  provider: maybe(preferencesSchema),
  route: maybe(oneOf('fallback', 'sort')),
};

/** Tools of one request, and their names, in every dialect. (rule I27) */
export const TOOLS_MAX = 1_536;
export const toolName = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' });

/** The levels of `reasoning_effort`. (rule I18) */
export const effort = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');

/** The two members that request compression, in every dialect of conversations. (rule I22) */
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
