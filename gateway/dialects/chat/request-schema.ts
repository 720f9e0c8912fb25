import { type Static, Type } from 'typebox';
import { mediaMembers } from '../request/media-members.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, objectOf, oneOf, opaque } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { reasoningMembers } from '../request/reasoning-members.ts';
import { compressionMembers, effort, sharedMembers, TOOLS_MAX, toolName } from '../request/shared-members.ts';
import { messageSchema } from './message-schema.ts';

const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });

const tool = Type.Object({
  type: Type.Literal('function', { description: 'A function of the client.' }),
  function: objectOf('What the model learns about the function.', {
    name: described(toolName, 'Name by which the model calls it: 1 to 128 letters, digits, hyphens and underscores.'),
    description: maybe(Type.String(), 'What the function does, for the model.'),
    parameters: maybe(opaque(), 'JSON Schema of the arguments: forwarded without being compiled.'),
    strict: maybe(Type.Boolean(), 'Whether arguments must fit the schema exactly.'),
  }),
});

/**
 * The chat request on the wire: every member that Troupe reads, with its bounds. Unknown members are allowed and
 * ignored. The schema validates requests, gives their type, and is published in the OpenAPI document. (rule I13)
 */
export const chatRequest = Type.Object({
  ...sharedMembers,
  ...parameterMembers('chat'),
  messages: Type.Array(messageSchema, {
    minItems: 1,
    description: 'The conversation, oldest message first; at least one.',
  }),
  store: maybe(Type.Boolean(), 'false asks for endpoints without retention; true is refused.'),
  stream_options: maybe(
    Type.Object({
      include_usage: maybe(Type.Boolean(), 'Without effect: the last chunk always has the usage.'),
      include_tool_dispatch: maybe(
        Type.Boolean(),
        'true: the last chunk says how each tool call was checked against its schema.',
      ),
    }),
    'What a stream carries beside the answer.',
  ),
  response_format: maybe(
    Type.Union([
      Type.Object({ type: Type.Literal('text', { description: 'Free text.' }) }),
      Type.Object({ type: Type.Literal('json_object', { description: 'One JSON object of any form.' }) }),
      Type.Object({
        type: Type.Literal('json_schema', { description: 'JSON that fits a schema.' }),
        json_schema: opaque('Name, schema and strictness, forwarded without being compiled.'),
      }),
    ]),
    'Form that the answer must have.',
  ),
  tools: maybe(Type.Array(tool, { maxItems: TOOLS_MAX }), 'Functions that the model may call, at most 1,536.'),
  tool_choice: maybe(
    Type.Union([
      oneOf('none', 'auto', 'required'),
      Type.Object({
        type: Type.Literal('function', { description: 'One named function must be called.' }),
        function: objectOf('The function that must be called.', {
          name: described(toolName, 'Name of the function that must be called.'),
        }),
      }),
    ]),
    'Whether the model may, must or must not call a function, or which one.',
  ),
  reasoning: maybe(Type.Object(reasoningMembers), 'How much the model reasons, and whether the reasoning is returned.'),
  reasoning_effort: maybe(effort, 'Level of reasoning; none switches it off where the model can.'),
  verbosity: maybe(oneOf('low', 'medium', 'high'), 'How long the answer should be.'),
  session_id: maybe(label, 'Names a conversation, at most 256 characters: its requests prefer one endpoint.'),
  prompt_cache_key: maybe(
    label,
    'As session_id: requests with the same text prefer one endpoint, whose cache they share.',
  ),
  metadata: maybe(opaque(), 'Stored unchanged on the generation record.'),
  ...mediaMembers,
  ...compressionMembers,
  usage: maybe(
    Type.Object({ include: maybe(Type.Boolean(), 'Without effect.') }),
    'Accepted for clients that ask for the usage: it is always sent.',
  ),
});

export type ChatRequest = Static<typeof chatRequest>;
