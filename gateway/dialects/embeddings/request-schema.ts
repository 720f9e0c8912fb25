import { type Static, Type } from 'typebox';
import { INPUT_TOKENS_MAX } from '../../terms/turn-kind.ts';
import { maybe, oneOf } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { sharedMembers } from '../request/shared-members.ts';

/** Inputs of one request. (rule I105) */
export const INPUTS_MAX = 2_048;
export const TOKEN_ID_MAX = 2 ** 31 - 1;

const text = Type.String({ minLength: 1 });
const tokens = Type.Array(Type.Integer({ minimum: 0, maximum: TOKEN_ID_MAX }), {
  minItems: 1,
  maxItems: INPUT_TOKENS_MAX,
});
const { model, models, user, provider, route } = sharedMembers;

/** The embeddings request on the wire. Unknown members are allowed and ignored. (rule I105) */
export const embeddingsRequest = Type.Object({
  model,
  models,
  user,
  provider,
  route,
  input: Type.Union(
    [
      text,
      Type.Array(text, { minItems: 1, maxItems: INPUTS_MAX }),
      tokens,
      Type.Array(tokens, { minItems: 1, maxItems: INPUTS_MAX }),
    ],
    { description: 'A text, token ids, or a list of either. Content parts are refused.' },
  ),
  encoding_format: maybe(oneOf('float', 'base64'), 'float: JSON numbers. base64: little-endian 32-bit floats.'),
  ...parameterMembers('embeddings'),
  stream: maybe(Type.Literal(false), 'Absent or false: embeddings are answered whole.'),
});

export type EmbeddingsRequest = Static<typeof embeddingsRequest>;
