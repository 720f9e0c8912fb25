import { Type } from 'typebox';
import { count, finishReason, honoured, replyHead, usageSchema } from '../reply/reply-members.ts';
import { maybe, oneOf } from '../request/members.ts';

/**
 * The published schema of replies to chat requests. Outgoing replies are not validated with it; the tests check real
 * replies against it. (rule I45, rule I53)
 */
const nullable = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);

const reasoningDetail = Type.Object({
  type: oneOf('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
  text: maybe(Type.String()),
  signature: maybe(Type.String()),
  summary: maybe(Type.String()),
  data: maybe(Type.String()),
  format: maybe(Type.String()),
  index: maybe(count),
  id: maybe(Type.String()),
});

const image = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Object({ url: Type.String() }),
  index: maybe(count),
});

const speech = Type.Object({
  id: maybe(Type.String()),
  data: maybe(Type.String({ contentEncoding: 'base64' })),
  transcript: maybe(Type.String()),
  expires_at: maybe(Type.Integer()),
});

const answer = {
  refusal: maybe(Type.String()),
  reasoning: maybe(Type.String()),
  reasoning_details: Type.Optional(Type.Array(reasoningDetail, { minItems: 1 })),
  images: Type.Optional(Type.Array(image)),
  audio: Type.Optional(speech),
};

const scores = Type.Union([Type.Array(Type.Unknown()), Type.Null()]);
const logprobs = maybe(Type.Object({ content: maybe(scores), refusal: maybe(scores) }));

const called = Type.Object({ name: Type.String(), arguments: Type.String() });

export const chatReply = Type.Object({
  ...replyHead,
  object: Type.Literal('chat.completion'),
  system_fingerprint: Type.Null(),
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: nullable(Type.String()),
        tool_calls: Type.Optional(
          Type.Array(Type.Object({ id: Type.String(), type: Type.Literal('function'), function: called })),
        ),
        ...answer,
      }),
      logprobs,
      finish_reason: finishReason,
      native_finish_reason: nullable(Type.String()),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  usage: Type.Optional(usageSchema),
});

export const chatChunk = Type.Object({
  ...replyHead,
  object: Type.Literal('chat.completion.chunk'),
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0),
      delta: Type.Object({
        role: Type.Optional(Type.Literal('assistant')),
        content: maybe(Type.String()),
        tool_calls: Type.Optional(
          Type.Array(
            Type.Object({
              index: count,
              id: Type.Optional(Type.String()),
              type: Type.Optional(Type.Literal('function')),
              function: Type.Partial(called),
            }),
          ),
        ),
        ...answer,
      }),
      logprobs,
      finish_reason: finishReason,
      native_finish_reason: maybe(Type.String()),
    }),
    { maxItems: 1 },
  ),
  usage: Type.Optional(usageSchema),
  honoured: Type.Optional(honoured),
});
