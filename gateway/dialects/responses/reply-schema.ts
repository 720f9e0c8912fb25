import { Type } from 'typebox';
import { citation, count, errorType, honoured } from '../reply/reply-members.ts';
import { described, listOf, objectOf, oneOf, orNull } from '../request/members.ts';

/**
 * The published schema of replies to responses requests. Outgoing replies are not validated with it; the tests check
 * real replies against it. (rule I87, rule I88)
 */
const text = Type.String();
const status = oneOf('in_progress', 'completed', 'incomplete');
const nothing = Type.Array(Type.Unknown(), { maxItems: 0 });

const annotation = Type.Object({
  type: Type.Literal('url_citation', { description: 'Always `url_citation`.' }),
  ...citation,
});

const part = Type.Union([
  Type.Object({
    type: Type.Literal('output_text', { description: 'Text of the answer.' }),
    text: described(text, 'What the part says, as plain text.'),
    annotations: Type.Array(annotation, { description: 'Sources that the text cites, in the order of its marks.' }),
    logprobs: described(nothing, 'Always empty: log probabilities are not offered in this dialect.'),
  }),
  Type.Object({
    type: Type.Literal('refusal', { description: 'The model declined.' }),
    refusal: described(text, 'The words with which the model declined.'),
  }),
  Type.Object({
    type: Type.Literal('output_image', { description: 'A picture that the model drew.' }),
    image_url: described(text, 'The picture as a data: URL.'),
  }),
  Type.Object({
    type: Type.Literal('output_audio', { description: 'Speech of the answer.' }),
    id: orNull(text, 'Id of the speech; null where the provider gave none.'),
    data: described(text, 'The audio in base64.'),
    transcript: described(text, 'The spoken words as text.'),
    expires_at: orNull(Type.Integer(), 'Until when that id may be used, Unix seconds; null where unknown.'),
  }),
]);
const summary = Type.Object({
  type: Type.Literal('summary_text', { description: 'Always `summary_text`.' }),
  text: described(text, 'What the summary says, as plain text.'),
});

const item = Type.Union([
  Type.Object({
    id: described(text, 'Names the item; send it back with the item.'),
    type: Type.Literal('message', { description: 'A message of the model.' }),
    role: Type.Literal('assistant', { description: 'Always `assistant`.' }),
    status: described(status, 'in_progress until the item is complete.'),
    content: Type.Array(part, { description: 'The parts of the message.' }),
  }),
  Type.Object({
    id: described(text, 'Names the item; send it back with the item.'),
    type: Type.Literal('reasoning', { description: 'Reasoning of the model.' }),
    status: described(status, 'in_progress until the item is complete.'),
    summary: Type.Array(summary, { description: 'What the model thought, shortened by the provider.' }),
    encrypted_content: orNull(
      Type.String({ description: 'Opaque: send the item back unchanged.' }),
      'Reasoning that only its provider can read; send it back unchanged.',
    ),
  }),
  Type.Object({
    id: described(text, 'Names the item; send it back with the item.'),
    type: Type.Literal('function_call', { description: 'A call of a function.' }),
    status: described(status, 'in_progress until the item is complete.'),
    call_id: described(text, 'Links a call with its output.'),
    name: described(text, 'Name of the called function.'),
    arguments: described(text, 'Arguments of the call: JSON as text, as the model wrote it.'),
    namespace: Type.Optional(described(text, 'Set of the function; absent for a function in none.')),
  }),
]);

const usage = Type.Object({
  input_tokens: described(count, 'Tokens of the prompt, cached ones included.'),
  input_tokens_details: objectOf("How many of the prompt's tokens came from or went to a cache.", {
    cached_tokens: described(count, 'Prompt tokens read from a cache.'),
    cache_write_tokens: Type.Optional(described(count, 'Prompt tokens written to a cache.')),
  }),
  output_tokens: described(count, 'Tokens of the answer, reasoning included.'),
  output_tokens_details: objectOf("What the answer's tokens were spent on.", {
    reasoning_tokens: described(count, "Those of the answer's tokens that were reasoning."),
  }),
  total_tokens: described(count, 'Prompt and answer together.'),
  cost: Type.Optional(Type.Number({ minimum: 0, description: 'The exact charge in USD.' })),
  heimdall: Type.Optional(
    objectOf('What this service adds to the usage of the dialect.', {
      unreported: Type.Array(oneOf('input_tokens', 'output_tokens', 'total_tokens'), {
        description: 'Counts that the endpoint did not report; they are 0.',
      }),
    }),
  ),
});

/** A response object; members that repeat the request are described by the request. */
export const responsesReply = Type.Object({
  id: Type.String({ pattern: '^resp_', description: 'Id of the response: `resp_` and the generation id.' }),
  object: Type.Literal('response', { description: 'Always `response`.' }),
  created_at: Type.Integer({ description: 'When the request arrived, Unix seconds.' }),
  completed_at: Type.Null({ description: 'Always null: the time is not kept.' }),
  status: described(
    oneOf('in_progress', 'completed', 'incomplete', 'failed'),
    'in_progress in a stream, then how the response ended.',
  ),
  error: orNull(
    Type.Object({
      code: described(
        oneOf('invalid_prompt', 'rate_limit_exceeded', 'context_length_exceeded', 'server_error'),
        "Kind of the failure, in the dialect's words.",
      ),
      message: described(text, 'What went wrong, for people: not a contract.'),
    }),
    'Why the response failed; null where it did not.',
  ),
  incomplete_details: orNull(
    Type.Object({
      reason: described(oneOf('max_output_tokens', 'content_filter'), 'It reached its ceiling, or was filtered.'),
    }),
    'Why the answer is cut; null where it is whole.',
  ),
  model: Type.String({ description: 'Id of the model whose endpoint answered, which a fallback may change.' }),
  output: Type.Array(item, { description: 'Items of the answer, in order.' }),
  instructions: orNull(text, 'The instructions of the request; null for none.'),
  metadata: Type.Object({}, { description: 'Key and value pairs of the request, unchanged.' }),
  parallel_tool_calls: Type.Literal(true, { description: 'Always true: a placeholder.' }),
  tools: listOf('Functions that the request offered.', {}),
  usage: orNull(usage, 'Tokens and charge; null until the response ends.'),
  honoured: Type.Optional(honoured),
});

/** The refusal of a stream before it opens. */
export const responsesError = Type.Object({
  error: objectOf('Why the request was refused.', {
    code: Type.Null({ description: 'Always null: `type` names the kind.' }),
    message: described(text, 'What went wrong, for people: not a contract.'),
    type: described(errorType, 'Equal to `metadata.error_type`.'),
    param: Type.Null({ description: 'Always null: `message` names the member.' }),
    metadata: Type.Object(
      { error_type: errorType },
      { additionalProperties: true, description: 'Facts for programs.' },
    ),
  }),
});

/** One event of a stream; the other members depend on its type. */
export const responsesEvent = Type.Object({
  type: Type.String({ description: 'Equal to the name of the server-sent event.' }),
  sequence_number: described(count, 'Number of the event in its stream, from 0.'),
  response: Type.Optional(described(responsesReply, 'The response so far, in events that begin or end it.')),
});
