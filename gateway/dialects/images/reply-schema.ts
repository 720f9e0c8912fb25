import { Type } from 'typebox';
import { count, errorType, replyHead, usageSchema } from '../reply/reply-members.ts';
import { described, objectOf } from '../request/members.ts';

/** The published schemas of replies to image generations. (rule I101) */

const usage = Type.Optional(
  Type.Object({
    ...usageSchema.properties,
    input_tokens: Type.Optional(described(count, 'Equal to `prompt_tokens`, for clients of the other dialect.')),
    output_tokens: Type.Optional(described(count, 'Equal to `completion_tokens`, for clients of the other dialect.')),
  }),
);

const picture = {
  b64_json: Type.Optional(Type.String({ contentEncoding: 'base64', description: 'The picture in base64.' })),
  media_type: Type.Optional(Type.String({ description: 'Media type of the picture, such as image/png.' })),
  url: Type.Optional(
    Type.String({
      description: 'Instead of `b64_json`: the address of a picture that its endpoint did not send as bytes.',
    }),
  ),
};

const { created } = replyHead;

export const imagesReply = Type.Object({
  ...replyHead,
  data: Type.Array(Type.Object(picture), { minItems: 1, description: 'The pictures of the answer, at least one.' }),
  usage: described(usage, 'Tokens and charge; absent where the charge is recorded later.'),
});

/** One event of a stream. */
export const imagesEvent = Type.Union([
  Type.Object({
    type: Type.Literal('image_generation.completed', { description: 'One whole picture.' }),
    ...picture,
    created,
    created_at: described(created, 'When the request arrived, Unix seconds: equal to `created`.'),
    output_format: Type.Optional(Type.String({ description: 'Format of the picture, such as png.' })),
    usage: described(usage, 'Tokens and charge; absent where the charge is recorded later.'),
  }),
  Type.Object({
    type: Type.Literal('error', { description: 'The event that ends a failed stream.' }),
    error: objectOf('Why the request failed.', {
      code: Type.String({ description: 'Equal to `type`.' }),
      message: Type.String({ description: 'What went wrong, for people: not a contract.' }),
      param: Type.Null({ description: 'Always null: the message names the member.' }),
      type: Type.String({ description: 'Kind of the failure, in the words of OpenAI.' }),
      metadata: objectOf('Facts for programs.', {
        error_type: errorType,
        status: Type.Integer({
          description: 'The HTTP status that the failure would have had before the stream opened.',
        }),
      }),
    }),
  }),
]);
