import { Type } from 'typebox';
import { described, LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, named, oneOf } from './members.ts';
import { preferencesSchema } from './preferences-schema.ts';

const MODELS_MAX = 20;

const modelId = named(LABEL_CHARACTERS_MAX);

/** Members that are no parameters of an endpoint and that dialects share. (rule I3) */
export const sharedMembers = {
  model: maybe(modelId, 'Id of a model, `author/slug`; with a workspace default it may be absent.'),
  models: maybe(Type.Array(modelId, { maxItems: MODELS_MAX }), 'Ids of models, at most 20, tried in this order.'),
  stream: maybe(Type.Boolean(), 'true: the answer is sent as server-sent events.'),
  user: maybe(
    Type.String({ maxLength: LABEL_CHARACTERS_MAX }),
    'Names an end user of the application, at most 256 characters.',
  ),
  provider: maybe(preferencesSchema, 'Which providers may serve, and in which order.'),
  route: maybe(
    oneOf('fallback', 'sort'),
    'fallback: models are tried in the given order. sort: the endpoints of all models are ordered together.',
  ),
};

/** Tools of one request, and their names, in every dialect. (rule I27) */
export const TOOLS_MAX = 1_536;
export const toolName = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' });

/** The levels of `reasoning_effort`. (rule I18) */
export const effort = oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');

/** The two members that request compression, in every dialect of conversations. (rule I22) */
export const compressionMembers = {
  transforms: maybe(
    Type.Array(oneOf('middle-out'), { maxItems: NAMES_MAX }),
    'middle-out: a prompt that is too long loses its middle.',
  ),
  plugins: maybe(
    Type.Array(Type.Object({ id: described(oneOf('context-compression'), 'context-compression, the only plugin.') }), {
      maxItems: NAMES_MAX,
    }),
    'The same request as `transforms`, in the form of newer clients.',
  ),
};

/** True when a checked request asks for compression; an empty list does not. */
export function asksCompression(request: {
  readonly transforms?: readonly unknown[] | null;
  readonly plugins?: readonly unknown[] | null;
}): boolean {
  return (request.transforms?.length ?? 0) > 0 || (request.plugins?.length ?? 0) > 0;
}
