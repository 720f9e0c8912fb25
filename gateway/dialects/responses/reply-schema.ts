import { Type } from 'typebox';
import { count, errorType, honoured } from '../reply/reply-members.ts';
import { oneOf } from '../request/members.ts';

/**
 * The published schema of replies to responses requests. Outgoing replies are not validated with it; the tests check
 * real replies against it. (rule I87, rule I88)
 */
const text = Type.String();
const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);
const status = oneOf('in_progress', 'completed', 'incomplete');
const nothing = Type.Array(Type.Unknown(), { maxItems: 0 });

const part = Type.Union([
  Type.Object({ type: Type.Literal('output_text'), text, annotations: nothing, logprobs: nothing }),
  Type.Object({ type: Type.Literal('refusal'), refusal: text }),
  Type.Object({ type: Type.Literal('output_image'), image_url: text }),
  Type.Object({
    type: Type.Literal('output_audio'),
    id: orNull(text),
    data: text,
    transcript: text,
    expires_at: Type.Union([Type.Integer(), Type.Null()]),
  }),
]);
const summary = Type.Object({ type: Type.Literal('summary_text'), text });

const item = Type.Union([
  Type.Object({
    id: text,
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    status,
    content: Type.Array(part),
  }),
  Type.Object({
    id: text,
    type: Type.Literal('reasoning'),
    status,
    summary: Type.Array(summary),
    encrypted_content: Type.Union([Type.String({ description: 'Opaque: send the item back unchanged.' }), Type.Null()]),
  }),
  Type.Object({
    id: text,
    type: Type.Literal('function_call'),
    status,
    call_id: text,
    name: text,
    arguments: text,
    namespace: Type.Optional(text),
  }),
]);

const usage = Type.Object({
  input_tokens: count,
  input_tokens_details: Type.Object({ cached_tokens: count, cache_write_tokens: Type.Optional(count) }),
  output_tokens: count,
  output_tokens_details: Type.Object({ reasoning_tokens: count }),
  total_tokens: count,
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'The exact charge in USD.' })),
  heimdall: Type.Optional(
    Type.Object({
      unreported: Type.Array(oneOf('input_tokens', 'output_tokens', 'total_tokens'), {
        description: 'Counts that the endpoint did not report; they are 0.',
      }),
    }),
  ),
});

/** A response object; members that repeat the request are described by the request. */
export const responsesReply = Type.Object({
  id: Type.String({ pattern: '^resp_' }),
  object: Type.Literal('response'),
  created_at: Type.Integer({ description: 'Unix seconds.' }),
  completed_at: Type.Null(),
  status: oneOf('in_progress', 'completed', 'incomplete', 'failed'),
  error: Type.Union([
    Type.Object({
      code: oneOf('invalid_prompt', 'rate_limit_exceeded', 'context_length_exceeded', 'server_error'),
      message: text,
    }),
    Type.Null(),
  ]),
  incomplete_details: Type.Union([Type.Object({ reason: oneOf('max_output_tokens', 'content_filter') }), Type.Null()]),
  model: Type.String({ description: 'The model that served.' }),
  output: Type.Array(item),
  instructions: orNull(text),
  metadata: Type.Object({}),
  parallel_tool_calls: Type.Literal(true, { description: 'A placeholder.' }),
  tools: Type.Array(Type.Object({})),
  usage: Type.Union([usage, Type.Null()]),
  honoured: Type.Optional(honoured),
});

/** The refusal of a stream before it opens. */
export const responsesError = Type.Object({
  error: Type.Object({
    code: Type.Null(),
    message: text,
    type: errorType,
    param: Type.Null({ description: 'No member is named here; `message` names it.' }),
    metadata: Type.Object({ error_type: errorType }, { additionalProperties: true }),
  }),
});

/** One event of a stream; the other members depend on its type. */
export const responsesEvent = Type.Object({
  type: Type.String({ description: 'Equal to the name of the server-sent event.' }),
  sequence_number: count,
  response: Type.Optional(responsesReply),
});
