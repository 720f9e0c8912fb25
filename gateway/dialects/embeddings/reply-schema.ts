import { Type } from 'typebox';
import { count, replyHead, usageSchema } from '../reply/reply-members.ts';
import { described, listOf } from '../request/members.ts';

/** The published schema of an embeddings answer. (rule I106) */
export const embeddingsReply = Type.Object({
  id: replyHead.id,
  object: Type.Literal('list', { description: 'Always `list`.' }),
  model: replyHead.model,
  data: listOf('One vector for each input, in the order of the inputs.', {
    object: Type.Literal('embedding', { description: 'Always `embedding`.' }),
    index: described(count, 'Position of the input.'),
    embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
      description: 'Numbers, or base64 of little-endian 32-bit floats, as encoding_format asks.',
    }),
  }),
  usage: Type.Optional(
    Type.Object(
      {
        prompt_tokens: described(count, 'Tokens of all inputs.'),
        total_tokens: described(count, 'Equal to `prompt_tokens`: vectors have no tokens.'),
        cost: usageSchema.properties.cost,
      },
      { description: 'What was charged. Absent where the charge is recorded later.' },
    ),
  ),
});
