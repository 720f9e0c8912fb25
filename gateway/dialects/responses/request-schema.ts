import { type Static, Type } from 'typebox';
import { mediaMembers } from '../request/media-members.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, opaque } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { reasoningMembers } from '../request/reasoning-members.ts';
import { compressionMembers, sharedMembers, TOOLS_MAX, toolName } from '../request/shared-members.ts';
import { inputItem } from './input-schema.ts';

const { model, models, stream, user, provider, route } = sharedMembers;

const FORMAT_NAME = '^[a-zA-Z0-9_-]{1,64}$';
const WORD_CHARACTERS_MAX = 64;

const word = Type.String({ maxLength: WORD_CHARACTERS_MAX });

const functionTool = Type.Object({
  type: Type.Literal('function', { description: 'A function of the client.' }),
  name: described(toolName, 'Name by which the model calls it: 1 to 128 letters, digits, hyphens and underscores.'),
  description: maybe(Type.String(), 'What the function does, for the model.'),
  parameters: maybe(opaque(), 'JSON Schema of the arguments: forwarded without being compiled.'),
  strict: maybe(Type.Boolean(), 'Whether arguments must fit the schema exactly.'),
});

/** Functions whose calls carry the namespace beside the name. */
const namespaceTool = Type.Object({
  type: Type.Literal('namespace', { description: 'A set of functions whose calls carry its name.' }),
  name: described(toolName, 'Prefix that calls of these functions carry as `namespace`.'),
  description: maybe(Type.String(), 'What the functions of the set are for.'),
  tools: Type.Array(functionTool, { maxItems: TOOLS_MAX, description: 'The functions of the set.' }),
});

const tool = Type.Union([functionTool, namespaceTool]);

const format = Type.Union([
  Type.Object({ type: Type.Literal('text', { description: 'Free text.' }) }),
  Type.Object({ type: Type.Literal('json_object', { description: 'One JSON object of any form.' }) }),
  Type.Object({
    type: Type.Literal('json_schema', { description: 'JSON that fits a schema.' }),
    name: Type.String({ pattern: FORMAT_NAME, description: 'Name of the schema, 1 to 64 characters.' }),
    description: maybe(Type.String(), 'What the answer is for.'),
    schema: opaque('JSON Schema: forwarded without being compiled.'),
    strict: maybe(Type.Boolean(), 'true: the answer must fit the schema exactly.'),
  }),
]);

/**
 * The responses request on the wire. Unknown members are allowed and ignored. The schema validates requests, gives
 * their type, and is published in the OpenAPI document. (rule I84)
 */
export const responsesRequest = Type.Object({
  model,
  models,
  stream,
  user,
  provider,
  route,
  ...parameterMembers('responses'),
  input: Type.Union([Type.String(), Type.Array(inputItem, { minItems: 1 })], {
    description: 'A text, or the items of the conversation.',
  }),
  instructions: maybe(Type.String(), 'Instructions that come before the input.'),
  max_output_tokens: maybe(Type.Integer({ minimum: 1 }), 'Most tokens of the answer, reasoning included.'),
  tools: maybe(Type.Array(tool, { maxItems: TOOLS_MAX }), 'Functions that the model may call, at most 1,536.'),
  tool_choice: maybe(
    Type.Union([
      Type.String({ enum: ['none', 'auto', 'required'], pattern: '^(?:none|auto|required)$' }),
      Type.Object({
        type: Type.Literal('function', { description: 'One named function must be called.' }),
        name: described(toolName, 'Name of the function that must be called.'),
        namespace: maybe(toolName, 'Set of the function; absent for a function in none.'),
      }),
    ]),
    'Whether the model may, must or must not call a function, or which one.',
  ),
  reasoning: maybe(
    Type.Object({ ...reasoningMembers, summary: maybe(word, 'How detailed the summary should be.') }),
    'How much the model reasons, and which summary it gives.',
  ),
  ...mediaMembers,
  text: maybe(
    Type.Object({
      format: maybe(format, 'Form that the text must have.'),
      verbosity: maybe(word, 'How long the answer should be.'),
    }),
    'Form and length of the text.',
  ),
  prompt_cache_key: maybe(
    Type.String({ maxLength: LABEL_CHARACTERS_MAX }),
    'As session_id: requests with the same text prefer one endpoint, whose cache they share.',
  ),
  previous_response_id: maybe(
    Type.String(),
    'Over a WebSocket: the last response of the same socket. Otherwise refused: nothing is retained.',
  ),
  conversation: maybe(
    Type.Union([Type.String(), opaque()]),
    'Refused: conversations are not retained; send the whole input instead.',
  ),
  prompt: maybe(opaque(), 'Refused: prompts are not retained.'),
  generate: maybe(Type.Boolean(), 'false, over a WebSocket alone: the next turn may continue this one; no answer.'),
  background: maybe(Type.Boolean(), 'true is refused: responses are not retained.'),
  stream_options: maybe(
    Type.Object({ include_tool_dispatch: maybe(Type.Boolean(), 'true is refused in this dialect.') }),
    'What a stream carries beside the answer.',
  ),
  store: maybe(Type.Boolean(), 'Without effect: responses are not retained.'),
  include: maybe(Type.Array(Type.String()), 'Without effect: reasoning is always included.'),
  metadata: maybe(opaque(), 'Without effect: returned in the response.'),
  ...compressionMembers,
});

export type ResponsesRequest = Static<typeof responsesRequest>;
