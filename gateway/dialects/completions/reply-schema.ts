import { Type } from 'typebox';
import { finishReason, honoured, replyHead, usageSchema } from '../reply/reply-members.ts';
import { maybe } from '../request/members.ts';

/** The published schema of a text completion, whole or as one frame of a stream. (rule I63) */
export const completionReply = Type.Object({
  ...replyHead,
  object: Type.Literal('text_completion'),
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0),
      text: Type.String(),
      logprobs: maybe(Type.Object({})),
      finish_reason: finishReason,
      native_finish_reason: maybe(Type.String()),
    }),
    { maxItems: 1 },
  ),
  usage: Type.Optional(usageSchema),
  honoured: Type.Optional(honoured),
});
