import { type Static, Type } from 'typebox';
import { mediaMembers } from '../request/media-members.ts';
import { LABEL_CHARACTERS_MAX, maybe, opaque } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { reasoningMembers } from '../request/reasoning-members.ts';
import { compressionMembers, sharedMembers, TOOLS_MAX, toolName } from '../request/shared-members.ts';
import { inputItem } from './input-schema.ts';

const { model, models, stream, user, provider, route } = sharedMembers;

const FORMAT_NAME = '^[a-zA-Z0-9_-]{1,64}$';
const WORD_CHARACTERS_MAX = 64;

const word = Type.String({ maxLength: WORD_CHARACTERS_MAX });

const functionTool = Type.Object({
  type: Type.Literal('function'),
  name: toolName,
  description: maybe(Type.String()),
  parameters: maybe(opaque({ description: 'JSON Schema: forwarded without being compiled.' })),
  strict: maybe(Type.Boolean()),
});

/** Functions whose calls carry the namespace beside the name. */
const namespaceTool = Type.Object({
  type: Type.Literal('namespace'),
  name: toolName,
  description: maybe(Type.String()),
  tools: Type.Array(functionTool, { maxItems: TOOLS_MAX }),
});

const tool = Type.Union([functionTool, namespaceTool]);

const format = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: Type.String({ pattern: FORMAT_NAME }),
    description: maybe(Type.String()),
    schema: opaque({ description: 'JSON Schema: forwarded without being compiled.' }),
    strict: maybe(Type.Boolean()),
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
  input: Type.Union([Type.String(), Type.Array(inputItem, { minItems: 1 })]),
  instructions: maybe(Type.String()),
  max_output_tokens: maybe(Type.Integer({ minimum: 1 })),
  tools: maybe(Type.Array(tool, { maxItems: TOOLS_MAX })),
  tool_choice: maybe(
    Type.Union([
      Type.String({ enum: ['none', 'auto', 'required'], pattern: '^(?:none|auto|required)$' }),
      Type.Object({ type: Type.Literal('function'), name: toolName, namespace: maybe(toolName) }),
    ]),
  ),
  reasoning: maybe(Type.Object({ ...reasoningMembers, summary: maybe(word) })),
  ...mediaMembers,
  text: maybe(Type.Object({ format: maybe(format), verbosity: maybe(word) })),
  prompt_cache_key: maybe(Type.String({ maxLength: LABEL_CHARACTERS_MAX })),
  previous_response_id: maybe(
    Type.String({ description: 'Refused but over a WebSocket, whose last response it may name: nothing is retained.' }),
  ),
  conversation: maybe(
    Type.Union([Type.String(), opaque()], { description: 'Refused: conversations are not retained.' }),
  ),
  prompt: maybe(opaque({ description: 'Refused: prompts are not retained.' })),
  generate: maybe(
    Type.Boolean({ description: 'false, over a WebSocket alone: the next turn may continue this one; no answer.' }),
  ),
  background: maybe(Type.Boolean({ description: 'true is refused: responses are not retained.' })),
  stream_options: maybe(
    Type.Object({ include_tool_dispatch: maybe(Type.Boolean({ description: 'true is refused in this dialect.' })) }),
  ),
  store: maybe(Type.Boolean({ description: 'Without effect: responses are not retained.' })),
  include: maybe(Type.Array(Type.String(), { description: 'Without effect: reasoning is always included.' })),
  metadata: maybe(opaque({ description: 'Without effect: returned in the response.' })),
  ...compressionMembers,
});

export type ResponsesRequest = Static<typeof responsesRequest>;
