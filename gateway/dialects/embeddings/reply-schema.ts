import { Type } from 'typebox';
import { count, replyHead, usageSchema } from '../reply/reply-members.ts';

/** The published schema of an embeddings answer. (rule I106) */
export const embeddingsReply = Type.Object({
  id: replyHead.id,
  object: Type.Literal('list'),
  model: replyHead.model,
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: count,
      embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
        description: 'Numbers, or base64 of little-endian 32-bit floats, as encoding_format asks.',
      }),
    }),
  ),
  usage: Type.Optional(
    Type.Object(
      { prompt_tokens: count, total_tokens: count, cost: usageSchema.properties.cost },
      { description: 'What was charged. Absent where the charge is recorded later.' },
    ),
  ),
});
