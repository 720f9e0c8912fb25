import { Type } from 'typebox';
import { count, errorType, replyHead, usageSchema } from '../reply/reply-members.ts';

/** The published schemas of replies to image generations. (rule I101) */

const usage = Type.Optional(
  Type.Object({
    ...usageSchema.properties,
    input_tokens: Type.Optional(count),
    output_tokens: Type.Optional(count),
  }),
);

const picture = {
  b64_json: Type.Optional(Type.String({ contentEncoding: 'base64' })),
  media_type: Type.Optional(Type.String()),
  url: Type.Optional(
    Type.String({
      description: 'Instead of `b64_json`: the address of a picture that its endpoint did not send as bytes.',
    }),
  ),
};

const { created } = replyHead;

export const imagesReply = Type.Object({
  ...replyHead,
  data: Type.Array(Type.Object(picture), { minItems: 1 }),
  usage,
});

/** One event of a stream. */
export const imagesEvent = Type.Union([
  Type.Object({
    type: Type.Literal('image_generation.completed'),
    ...picture,
    created,
    created_at: created,
    output_format: Type.Optional(Type.String()),
    usage,
  }),
  Type.Object({
    type: Type.Literal('error'),
    error: Type.Object({
      code: Type.String(),
      message: Type.String(),
      param: Type.Null(),
      type: Type.String(),
      metadata: Type.Object({ error_type: errorType, status: Type.Integer() }),
    }),
  }),
]);
