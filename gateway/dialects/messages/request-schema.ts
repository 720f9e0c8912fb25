import { type Static, Type } from 'typebox';
import { CEILING_MAX, STOPS_MAX } from '../../terms/parameters.ts';
import { LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, oneOf, opaque } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { compressionMembers, sharedMembers, TOOLS_MAX, toolName } from '../request/shared-members.ts';
import { cacheControl, messageSchema, systemText } from './message-schema.ts';

const tool = Type.Object({
  type: maybe(
    Type.String({ maxLength: LABEL_CHARACTERS_MAX, description: '`custom` or absent; a hosted tool is refused.' }),
  ),
  name: toolName,
  description: maybe(Type.String()),
  input_schema: maybe(opaque({ description: 'JSON Schema: forwarded without being compiled.' })),
  strict: maybe(Type.Boolean()),
  cache_control: maybe(cacheControl),
});

const parallel = { disable_parallel_tool_use: maybe(Type.Boolean()) };

/** The members that decide the size of a prompt: a whole request to count it. (rule I78) */
const promptMembers = {
  model: sharedMembers.model,
  models: sharedMembers.models,
  messages: Type.Array(messageSchema, { minItems: 1 }),
  system: maybe(systemText),
  tools: maybe(Type.Array(tool, { maxItems: TOOLS_MAX })),
};

export const countRequest = Type.Object(promptMembers);

/**
 * The messages request on the wire: every member that Troupe reads, and those that it accepts without effect. Unknown
 * members are allowed and ignored. (rule I71)
 */
export const messagesRequest = Type.Object({
  ...promptMembers,
  max_tokens: Type.Integer({ minimum: 1, maximum: CEILING_MAX }),
  provider: sharedMembers.provider,
  route: sharedMembers.route,
  ...compressionMembers,
  stream: sharedMembers.stream,
  stop_sequences: maybe(Type.Array(Type.String(), { maxItems: STOPS_MAX })),
  ...parameterMembers('messages'),
  tool_choice: maybe(
    Type.Union([
      Type.Object({ type: Type.Literal('auto'), ...parallel }),
      Type.Object({ type: Type.Literal('any'), ...parallel }),
      Type.Object({ type: Type.Literal('none'), ...parallel }),
      Type.Object({ type: Type.Literal('tool'), name: toolName, ...parallel }),
    ]),
  ),
  cache_control: maybe(cacheControl),
  modalities: maybe(Type.Array(oneOf('text', 'image', 'audio'), { maxItems: NAMES_MAX })),
  output_config: maybe(
    Type.Object({ format: maybe(Type.Object({ type: Type.Literal('json_schema'), schema: opaque() })) }),
  ),
  metadata: maybe(opaque({ description: 'Without effect.' })),
  thread: maybe(opaque({ description: 'Refused: conversations are not retained. SDKs then send the whole one.' })),
  thinking: maybe(opaque({ description: 'Without effect: a model thinks as it does by default.' })),
  stream_options: maybe(
    Type.Object({ include_tool_dispatch: maybe(Type.Boolean({ description: 'true is refused.' })) }),
  ),
});

export type MessagesRequest = Static<typeof messagesRequest>;
export type CountRequest = Static<typeof countRequest>;
