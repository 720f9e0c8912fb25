import { Type } from 'typebox';
import { count, errorType, honoured } from '../reply/reply-members.ts';
import { oneOf } from '../request/members.ts';

/**
 * The published schema of messages, of the events of their streams and of the dialect's own error. Outgoing replies are
 * not validated with it; the tests check real replies against it. (rule I71)
 */
const text = Type.String();
const nullable = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);
const cacheCount = Type.Union([count, Type.Null()]);

const usage = Type.Object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: cacheCount,
  cache_read_input_tokens: cacheCount,
  cache_creation: Type.Optional(Type.Object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })),
  output_tokens_details: Type.Optional(Type.Object({ thinking_tokens: count })),
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'The exact charge in USD.' })),
  heimdall: Type.Optional(
    Type.Object({ unreported: Type.Array(oneOf('input_tokens', 'output_tokens'), { minItems: 1 }) }),
  ),
});

const block = Type.Union([
  Type.Object({ type: Type.Literal('text'), text }),
  Type.Object({ type: Type.Literal('thinking'), thinking: text, signature: text }),
  Type.Object({ type: Type.Literal('redacted_thinking'), data: text }),
  Type.Object({ type: Type.Literal('tool_use'), id: text, name: text, input: Type.Object({}) }),
  Type.Object({
    type: Type.Literal('image'),
    source: Type.Union([
      Type.Object({
        type: Type.Literal('base64'),
        media_type: text,
        data: Type.String({ contentEncoding: 'base64' }),
      }),
      Type.Object({ type: Type.Literal('url'), url: text }),
    ]),
  }),
]);

const stopReason = oneOf(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'refusal',
  'model_context_window_exceeded',
);

const head = {
  id: Type.String({ pattern: '^gen-', description: 'The generation id, equal to X-Generation-Id.' }),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String({ description: 'The model that served.' }),
  provider: Type.String({ description: 'Display name of the provider that served.' }),
};

export const messagesReply = Type.Object({
  ...head,
  content: Type.Array(block),
  stop_reason: stopReason,
  stop_sequence: nullable(text),
  usage,
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
  Type.Object({ error_code: text }, { description: 'The cause, where SDKs branch on it.' }),
);
const error = Type.Object({ type: word, message: text, error_type: errorType, details });

/** The refusal of a stream before it opens, and any other refusal: the common envelope with the dialect's word. */
export const messagesError = Type.Union([
  Type.Object({
    type: Type.Literal('error'),
    error,
    request_id: nullable(text),
    metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  Type.Object({
    error: Type.Object({
      code: Type.Integer({ minimum: 400, maximum: 599 }),
      type: word,
      message: text,
      details,
      metadata: Type.Object({ error_type: errorType }, { additionalProperties: true }),
    }),
  }),
]);

/** One event; its name is its `type`. */
export const messagesEvent = Type.Union([
  Type.Object({
    type: Type.Literal('message_start'),
    message: Type.Object({
      ...head,
      content: Type.Array(block, { maxItems: 0 }),
      stop_reason: Type.Null(),
      stop_sequence: Type.Null(),
      usage,
    }),
  }),
  Type.Object({ type: Type.Literal('content_block_start'), index: count, content_block: block }),
  Type.Object({
    type: Type.Literal('content_block_delta'),
    index: count,
    delta: Type.Union([
      Type.Object({ type: Type.Literal('text_delta'), text }),
      Type.Object({ type: Type.Literal('thinking_delta'), thinking: text }),
      Type.Object({ type: Type.Literal('signature_delta'), signature: text }),
      Type.Object({ type: Type.Literal('input_json_delta'), partial_json: text }),
    ]),
  }),
  Type.Object({ type: Type.Literal('content_block_stop'), index: count }),
  Type.Object({
    type: Type.Literal('message_delta'),
    delta: Type.Object({ stop_reason: stopReason, stop_sequence: nullable(text) }),
    usage,
    honoured: Type.Optional(honoured),
  }),
  Type.Object({ type: Type.Literal('message_stop') }),
  Type.Object({ type: Type.Literal('ping') }),
  Type.Object({ type: Type.Literal('error'), error }),
]);

export const tokenCountReply = Type.Object({
  input_tokens: Type.Integer({ minimum: 0, description: 'An estimate from the request.' }),
});
