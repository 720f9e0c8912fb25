import { type Static, Type } from 'typebox';
import { mediaMembers } from '../request/media-members.ts';
import { between, LABEL_CHARACTERS_MAX, maybe, oneOf, opaque } from '../request/members.ts';
import { reasoningMembers } from '../request/reasoning-members.ts';
import {
  CEILING_MAX,
  compressionMembers,
  effort,
  sharedMembers,
  TOOLS_MAX,
  toolName,
} from '../request/shared-members.ts';
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
 * ignored. The schema validates requests, gives their type, and is published in the OpenAPI document.
 * (spec: inference, Chat completion request; conventions 1.1)
 */
export const chatRequest = Type.Object({
  ...sharedMembers,
  messages: Type.Array(messageSchema, { minItems: 1 }),
  store: maybe(Type.Boolean({ description: 'false asks for endpoints without retention; true is refused.' })),
  enable_thinking: maybe(Type.Boolean()),
  stream_options: maybe(
    Type.Object({ include_usage: maybe(Type.Boolean()), include_tool_dispatch: maybe(Type.Boolean()) }),
  ),
  min_p: maybe(between(0, 1)),
  top_a: maybe(between(0, 1)),
  max_completion_tokens: maybe(Type.Integer({ minimum: 1, maximum: CEILING_MAX })),
  logit_bias: maybe(Type.Record(Type.String(), Type.Union([between(-100, 100), Type.Null()]))),
  logprobs: maybe(Type.Boolean()),
  top_logprobs: maybe(Type.Integer({ minimum: 0, maximum: 20 })),
  response_format: maybe(
    Type.Union([
      Type.Object({ type: Type.Literal('text') }),
      Type.Object({ type: Type.Literal('json_object') }),
      Type.Object({ type: Type.Literal('json_schema'), json_schema: opaque() }),
    ]),
  ),
  structured_outputs: maybe(Type.Boolean()),
  tools: maybe(Type.Array(tool, { maxItems: TOOLS_MAX })),
  tool_choice: maybe(
    Type.Union([
      oneOf('none', 'auto', 'required'),
      Type.Object({ type: Type.Literal('function'), function: Type.Object({ name: toolName }) }),
    ]),
  ),
  parallel_tool_calls: maybe(Type.Boolean()),
  reasoning: maybe(Type.Object(reasoningMembers)),
  reasoning_effort: maybe(effort),
  include_reasoning: maybe(Type.Boolean()),
  verbosity: maybe(oneOf('low', 'medium', 'high')),
  n: maybe(Type.Integer({ minimum: 1, maximum: 1 })),
  session_id: maybe(label),
  prompt_cache_key: maybe(label),
  metadata: maybe(opaque({ description: 'Stored unchanged on the generation record.' })),
  ...mediaMembers,
  ...compressionMembers,
  usage: maybe(Type.Object({ include: maybe(Type.Boolean()) })),
});

export type ChatRequest = Static<typeof chatRequest>;
