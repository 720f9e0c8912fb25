import { Type } from 'typebox';
import { finishReason, honoured, replyHead, usageSchema } from '../reply/reply-members.ts';
import { described, maybe } from '../request/members.ts';

/** The published schema of a text completion, whole or as one frame of a stream. (rule I63) */
export const completionReply = Type.Object({
  ...replyHead,
  object: Type.Literal('text_completion', { description: 'Always `text_completion`.' }),
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0, { description: 'Always 0.' }),
      text: Type.String({ description: 'The continuation, or in a stream its next piece.' }),
      logprobs: maybe(Type.Object({}), 'Log probabilities, where they were asked for.'),
      finish_reason: described(finishReason, 'Why the answer ended; null in chunks before the last.'),
      native_finish_reason: maybe(
        Type.String(),
        "Why the answer ended, in the provider's own word; null where it gave none.",
      ),
    }),
    { maxItems: 1, description: 'The answer; always one.' },
  ),
  usage: Type.Optional(described(usageSchema, 'Tokens and charge; absent where the charge is recorded later.')),
  honoured: Type.Optional(honoured),
});
