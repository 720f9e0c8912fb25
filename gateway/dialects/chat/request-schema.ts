import { type Static, Type } from 'typebox';
import { mediaMembers } from '../request/media-members.ts';
import { LABEL_CHARACTERS_MAX, maybe, oneOf, opaque } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { reasoningMembers } from '../request/reasoning-members.ts';
import { compressionMembers, effort, sharedMembers, TOOLS_MAX, toolName } from '../request/shared-members.ts';
import { messageSchema } from './message-schema.ts';

const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });

const tool = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: toolName,
    description: maybe(Type.String()),
    parameters: maybe(opaque({ description: 'JSON Schema: forwarded without being compiled.' })),
    strict: maybe(Type.Boolean()),
  }),
});

/**
 * The chat request on the wire: every member that Troupe reads, with its bounds. Unknown members are allowed and
 * ignored. The schema validates requests, gives their type, and is published in the OpenAPI document. (rule I13)
 */
export const chatRequest = Type.Object({
  ...sharedMembers,
  ...parameterMembers('chat'),
  messages: Type.Array(messageSchema, { minItems: 1 }),
  store: maybe(Type.Boolean({ description: 'false asks for endpoints without retention; true is refused.' })),
  stream_options: maybe(
    Type.Object({ include_usage: maybe(Type.Boolean()), include_tool_dispatch: maybe(Type.Boolean()) }),
  ),
  response_format: maybe(
    Type.Union([
      Type.Object({ type: Type.Literal('text') }),
      Type.Object({ type: Type.Literal('json_object') }),
      Type.Object({ type: Type.Literal('json_schema'), json_schema: opaque() }),
    ]),
  ),
  tools: maybe(Type.Array(tool, { maxItems: TOOLS_MAX })),
  tool_choice: maybe(
    Type.Union([
      oneOf('none', 'auto', 'required'),
      Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: toolName }) }),
    ]),
  ),
  reasoning: maybe(Type.Object(reasoningMembers)),
  reasoning_effort: maybe(effort),
  verbosity: maybe(oneOf('low', 'medium', 'high')),
  session_id: maybe(label),
  prompt_cache_key: maybe(label),
  metadata: maybe(opaque({ description: 'Stored unchanged on the generation record.' })),
  ...mediaMembers,
  ...compressionMembers,
  usage: maybe(Type.Object({ include: maybe(Type.Boolean()) })),
});

export type ChatRequest = Static<typeof chatRequest>;
