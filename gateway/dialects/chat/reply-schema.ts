import { Type } from 'typebox';
import { citation, count, finishReason, honoured, replyHead, usageSchema } from '../reply/reply-members.ts';
import { described, listOf, maybe, objectOf, oneOf, orNull } from '../request/members.ts';

/**
 * The published schema of replies to chat requests. Outgoing replies are not validated with it; the tests check real
 * replies against it. (rule I45, rule I53)
 */
const reasoningDetail = Type.Object({
  type: described(
    oneOf('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
    'Plain text, a summary, or reasoning that only its provider can read.',
  ),
  text: maybe(Type.String(), 'The reasoning itself.'),
  signature: maybe(Type.String(), 'Signature of the reasoning; send it back unchanged.'),
  summary: maybe(Type.String(), 'What the reasoning said, shortened by the provider.'),
  data: maybe(Type.String(), 'The unreadable reasoning; send it back unchanged.'),
  format: maybe(Type.String(), "Format of the entry in the provider's word; send it back unchanged."),
  index: maybe(count, 'Position of the entry among those of the message.'),
  id: maybe(Type.String(), 'Id that the provider gave the entry.'),
});

const image = Type.Object({
  type: Type.Literal('image_url', { description: 'Always `image_url`.' }),
  image_url: objectOf('Where the generated picture is.', {
    url: Type.String({ description: 'The picture as a data: URL.' }),
  }),
  index: maybe(count, 'Position of the picture in the answer.'),
});

const speech = Type.Object({
  id: maybe(Type.String(), 'Id of the speech, by which a later message may refer to it.'),
  data: maybe(Type.String({ contentEncoding: 'base64' }), 'The audio in base64; of a stream the next piece.'),
  transcript: maybe(Type.String(), 'The spoken words as text.'),
  expires_at: maybe(Type.Integer(), 'Until when that id may be used, Unix seconds.'),
});

const annotation = Type.Object({
  type: Type.Literal('url_citation', { description: 'Always `url_citation`.' }),
  url_citation: objectOf('The cited source.', citation),
});

const answer = {
  refusal: maybe(Type.String(), 'The words with which the model declined.'),
  reasoning: maybe(Type.String(), 'The reasoning as text; of a stream the next piece.'),
  reasoning_details: Type.Optional(
    Type.Array(reasoningDetail, {
      minItems: 1,
      description: 'Reasoning in structured entries; send them back unchanged.',
    }),
  ),
  images: Type.Optional(Type.Array(image, { description: 'Generated pictures.' })),
  audio: Type.Optional(described(speech, 'The answer as speech.')),
  annotations: Type.Optional(
    Type.Array(annotation, { description: 'Sources that the answer cites, in the order of its marks.' }),
  ),
};

const scores = Type.Union([Type.Array(Type.Unknown()), Type.Null()]);
const logprobs = maybe(
  Type.Object({
    content: maybe(scores, 'Log probabilities of the tokens of the text.'),
    refusal: maybe(scores, 'Log probabilities of the tokens of a refusal.'),
  }),
);

const called = Type.Object({
  name: Type.String({ description: 'Name of the called function.' }),
  arguments: Type.String({ description: 'Arguments of the call: JSON as text, as the model wrote it.' }),
});

export const chatReply = Type.Object({
  ...replyHead,
  object: Type.Literal('chat.completion', { description: 'Always `chat.completion`.' }),
  system_fingerprint: Type.Null({ description: 'Always null: a build is not named.' }),
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0, { description: 'Always 0.' }),
      message: objectOf('The answer of the model.', {
        role: Type.Literal('assistant', { description: 'Always `assistant`.' }),
        content: orNull(Type.String(), 'The text of the answer; null where it only called tools.'),
        tool_calls: Type.Optional(
          listOf('Functions that the client should run, with their arguments.', {
            id: Type.String({ description: 'Id of the call; repeat it in the message with the result.' }),
            type: Type.Literal('function', { description: 'Always `function`.' }),
            function: described(called, 'Which function is called, and with what.'),
          }),
        ),
        ...answer,
      }),
      logprobs: described(logprobs, 'Log probabilities, where they were asked for.'),
      finish_reason: described(finishReason, 'Why the answer ended; null in chunks before the last.'),
      native_finish_reason: orNull(
        Type.String(),
        "Why the answer ended, in the provider's own word; null where it gave none.",
      ),
    }),
    { minItems: 1, maxItems: 1, description: 'The answer; always one.' },
  ),
  usage: Type.Optional(described(usageSchema, 'Tokens and charge; absent where the charge is recorded later.')),
});

export const chatChunk = Type.Object({
  ...replyHead,
  object: Type.Literal('chat.completion.chunk', { description: 'Always `chat.completion.chunk`.' }),
  choices: Type.Array(
    Type.Object({
      index: Type.Literal(0, { description: 'Always 0.' }),
      delta: objectOf('What this chunk adds to the answer.', {
        role: Type.Optional(Type.Literal('assistant', { description: 'Always `assistant`.' })),
        content: maybe(Type.String(), 'The next piece of the text.'),
        tool_calls: Type.Optional(
          listOf('Functions that the client should run, with their arguments.', {
            index: described(count, 'Which call of the answer the piece belongs to.'),
            id: Type.Optional(Type.String({ description: 'Id of the call, in its first piece.' })),
            type: Type.Optional(Type.Literal('function', { description: 'Always `function`.' })),
            function: described(Type.Partial(called), 'Which function is called, and with what.'),
          }),
        ),
        ...answer,
      }),
      logprobs: described(logprobs, 'Log probabilities, where they were asked for.'),
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
