import { Type } from '@sinclair/typebox';
import { finishReason, replyHead, usageSchema } from '../chat/reply-schema.ts';

/** What a text completion is answered with, whole or as one frame of a stream, as it is published. (spec: inference, Text completion) */
export const completionReply = Type.Object({
  ...replyHead,
  object: Type.Literal('text_completion'),
  choices: Type.Array(
    Type.Object({ index: Type.Literal(0), text: Type.String(), finish_reason: Type.Optional(finishReason) }),
    { maxItems: 1 },
  ),
  usage: Type.Optional(usageSchema),
});
