import { Type } from 'typebox';
import { count, errorType, honoured } from '../reply/reply-members.ts';
import { described, objectOf, oneOf, orNull } from '../request/members.ts';

/**
 * The published schema of messages, of the events of their streams and of the dialect's own error. Outgoing replies are
 * not validated with it; the tests check real replies against it. (rule I71)
 */
const text = Type.String();
const cacheCount = Type.Union([count, Type.Null()]);

const usage = Type.Object({
  input_tokens: described(count, 'Prompt tokens that are charged at the plain price.'),
  output_tokens: described(count, 'Tokens of the answer, reasoning included.'),
  cache_creation_input_tokens: described(
    cacheCount,
    'Prompt tokens that were written to a cache; null where the provider does not say.',
  ),
  cache_read_input_tokens: described(
    cacheCount,
    'Prompt tokens that were read from a cache; null where the provider does not say.',
  ),
  cache_creation: Type.Optional(
    objectOf('Tokens written to a cache, by lifetime.', {
      ephemeral_5m_input_tokens: described(count, 'Of them those kept for five minutes.'),
      ephemeral_1h_input_tokens: described(count, 'Of them those kept for an hour.'),
    }),
  ),
  output_tokens_details: Type.Optional(
    objectOf('What the tokens of the answer consist of.', {
      thinking_tokens: described(count, "Those of the answer's tokens that were reasoning."),
    }),
  ),
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'The exact charge in USD.' })),
  heimdall: Type.Optional(
    objectOf('What this service adds to the usage of the dialect.', {
      unreported: Type.Array(oneOf('input_tokens', 'output_tokens'), {
        minItems: 1,
        description: 'Counts that the provider did not report, so that they were counted or left 0 here.',
      }),
    }),
  ),
});

const block = Type.Union([
  Type.Object({
    type: Type.Literal('text', { description: 'A block of text.' }),
    text: described(text, 'What the block says, as plain text.'),
  }),
  Type.Object({
    type: Type.Literal('thinking', { description: 'A block of reasoning.' }),
    thinking: described(text, 'What the model thought, as plain text.'),
    signature: described(text, 'Signature of the reasoning; send it back unchanged.'),
  }),
  Type.Object({
    type: Type.Literal('redacted_thinking', { description: 'Reasoning that only its provider can read.' }),
    data: described(text, 'The unreadable reasoning; send it back unchanged.'),
  }),
  Type.Object({
    type: Type.Literal('tool_use', { description: 'A call of a tool.' }),
    id: described(text, 'Id of the call, which the block with its result repeats.'),
    name: described(text, 'Name of the called tool.'),
    input: Type.Object({}, { description: 'The arguments of the call.' }),
  }),
  Type.Object({
    type: Type.Literal('image', { description: 'A picture that the model drew.' }),
    source: Type.Union(
      [
        Type.Object({
          type: Type.Literal('base64', { description: 'Bytes in the request or the answer.' }),
          media_type: described(text, 'Media type of the bytes, such as image/png.'),
          data: Type.String({ contentEncoding: 'base64', description: 'The bytes in base64.' }),
        }),
        Type.Object({
          type: Type.Literal('url', { description: 'A location from which the content can be read.' }),
          url: described(text, 'An https:, http: or data: URL.'),
        }),
      ],
      { description: 'The picture: bytes or an address.' },
    ),
  }),
]);

const stopReason = oneOf(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
);

/** Only in a refusal whose provider says why. */
const stopDetails = Type.Optional(
  objectOf('Why the provider refused to answer; absent where it does not say.', {
    type: Type.Literal('refusal', { description: 'Always `refusal`.' }),
    category: orNull(text, "Category of the provider's policy; null where it names none."),
    explanation: orNull(text, 'What the provider says about it, for people; null for nothing.'),
  }),
);

const head = {
  id: Type.String({ pattern: '^gen-', description: 'The generation id, equal to X-Generation-Id.' }),
  type: Type.Literal('message', { description: 'Always `message`.' }),
  role: Type.Literal('assistant', { description: 'Always `assistant`.' }),
  model: Type.String({ description: 'Id of the model whose endpoint answered, which a fallback may change.' }),
  provider: Type.String({ description: 'Display name of the provider that served.' }),
};

export const messagesReply = Type.Object({
  ...head,
  content: Type.Array(block, { description: 'The blocks of the answer, in order.' }),
  stop_reason: described(stopReason, "Why the answer ended, in the dialect's words."),
  stop_sequence: orNull(text, 'Which of the stop_sequences ended it; null for none.'),
  stop_details: stopDetails,
  usage: described(usage, 'Tokens and charge of the message.'),
});

/** The dialect's words for statuses. */
const word = oneOf(
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'api_error',
  'overloaded_error',
  'billing_error',
  'timeout_error',
);
const details = Type.Optional(
  Type.Object(
    { error_code: described(text, 'The cause, such as credit_balance_too_low.') },
    { description: 'The cause, where SDKs branch on it.' },
  ),
);
const error = Type.Object({
  type: described(word, "Kind of the failure, in the dialect's words."),
  message: described(text, 'What went wrong, for people: not a contract.'),
  error_type: errorType,
  details: described(details, 'The cause, where SDKs of the dialect branch on it.'),
});

/** The refusal of a stream before it opens, and any other refusal: the common envelope with the dialect's word. */
export const messagesError = Type.Union([
  Type.Object({
    type: Type.Literal('error', { description: 'Always `error`.' }),
    error: described(error, 'Why the request failed.'),
    request_id: orNull(text, 'Id of the generation; null where none was opened.'),
    metadata: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Facts for programs, such as the reasons of each attempt.' },
      ),
    ),
  }),
  Type.Object({
    error: objectOf('Why the request failed.', {
      code: Type.Integer({ minimum: 400, maximum: 599, description: 'Equal to the HTTP status.' }),
      type: described(word, "Kind of the failure, in the dialect's words."),
      message: described(text, 'What went wrong, for people: not a contract.'),
      details: described(details, 'The cause, where SDKs of the dialect branch on it.'),
      metadata: Type.Object(
        { error_type: errorType },
        { additionalProperties: true, description: 'Facts for programs.' },
      ),
    }),
  }),
]);

/** One event; its name is its `type`. */
export const messagesEvent = Type.Union([
  Type.Object({
    type: Type.Literal('message_start', { description: 'The first event: the message without content.' }),
    message: objectOf('Head of the answer: id, model and usage so far, without content.', {
      ...head,
      content: Type.Array(block, { maxItems: 0, description: 'Always empty: blocks follow as events.' }),
      stop_reason: Type.Null({ description: 'Always null: the message begins.' }),
      stop_sequence: Type.Null({ description: 'Always null: the message begins.' }),
      usage: described(usage, 'Tokens and charge of the message.'),
    }),
  }),
  Type.Object({
    type: Type.Literal('content_block_start', { description: 'A block begins.' }),
    index: described(count, 'Position of the block in the message.'),
    content_block: described(block, 'The block, without the pieces that follow.'),
  }),
  Type.Object({
    type: Type.Literal('content_block_delta', { description: 'A piece of a block.' }),
    index: described(count, 'Position of the block in the message.'),
    delta: Type.Union(
      [
        Type.Object({
          type: Type.Literal('text_delta', { description: 'A piece of text.' }),
          text: described(text, 'The next piece of the text.'),
        }),
        Type.Object({
          type: Type.Literal('thinking_delta', { description: 'A piece of reasoning.' }),
          thinking: described(text, 'The next piece of the reasoning.'),
        }),
        Type.Object({
          type: Type.Literal('signature_delta', { description: 'The signature of a block of reasoning.' }),
          signature: described(text, 'Signature of the reasoning; send it back unchanged.'),
        }),
        Type.Object({
          type: Type.Literal('input_json_delta', { description: 'A piece of the arguments of a call.' }),
          partial_json: described(text, 'The next piece of the arguments, JSON as text.'),
        }),
      ],
      { description: 'What this event adds to the block.' },
    ),
  }),
  Type.Object({
    type: Type.Literal('content_block_stop', { description: 'A block ends.' }),
    index: described(count, 'Position of the block in the message.'),
  }),
  Type.Object({
    type: Type.Literal('message_delta', { description: 'The message ends: its reason and its usage.' }),
    delta: objectOf('How the message ended.', {
      stop_reason: described(stopReason, "Why the answer ended, in the dialect's words."),
      stop_sequence: orNull(text, 'Which of the stop_sequences ended it; null for none.'),
      stop_details: stopDetails,
    }),
    usage: described(usage, 'Tokens and charge of the message.'),
    honoured: Type.Optional(honoured),
  }),
  Type.Object({ type: Type.Literal('message_stop', { description: 'The last event.' }) }),
  Type.Object({ type: Type.Literal('ping', { description: 'Keeps the connection open; carries nothing.' }) }),
  Type.Object({
    type: Type.Literal('error', { description: 'The event that ends a failed stream.' }),
    error: described(error, 'Why the request failed.'),
  }),
]);

export const tokenCountReply = Type.Object({
  input_tokens: Type.Integer({ minimum: 0, description: 'An estimate from the request.' }),
});
