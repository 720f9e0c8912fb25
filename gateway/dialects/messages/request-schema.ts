import { type Static, Type } from 'typebox';
import { CEILING_MAX, STOPS_MAX } from '../../terms/parameters.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, NAMES_MAX, oneOf, opaque } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { compressionMembers, sharedMembers, TOOLS_MAX, toolName } from '../request/shared-members.ts';
import { cacheControl, messageSchema, systemText } from './message-schema.ts';

const tool = Type.Object({
  type: maybe(
    Type.String({ maxLength: LABEL_CHARACTERS_MAX }),
    'custom, or absent; a tool that the provider hosts is refused.',
  ),
  name: described(toolName, 'Name by which the model calls it: 1 to 128 letters, digits, hyphens and underscores.'),
  description: maybe(Type.String(), 'What the function does, for the model.'),
  input_schema: maybe(opaque(), 'JSON Schema of the arguments: forwarded without being compiled.'),
  strict: maybe(Type.Boolean(), 'Whether arguments must fit the schema exactly.'),
  cache_control: maybe(cacheControl, 'Marks the end of a prefix that the provider may cache.'),
});

const parallel = { disable_parallel_tool_use: maybe(Type.Boolean(), 'true: at most one tool call in an answer.') };

/** The members that decide the size of a prompt: a whole request to count it. (rule I78) */
const promptMembers = {
  model: sharedMembers.model,
  models: sharedMembers.models,
  messages: Type.Array(messageSchema, {
    minItems: 1,
    description: 'The conversation, oldest message first; at least one.',
  }),
  system: maybe(systemText, 'Instructions that come before the conversation, as text or blocks.'),
  tools: maybe(Type.Array(tool, { maxItems: TOOLS_MAX }), 'Functions that the model may call, at most 1,536.'),
};

export const countRequest = Type.Object(promptMembers);

/**
 * The messages request on the wire: every member that Troupe reads, and those that it accepts without effect. Unknown
 * members are allowed and ignored. (rule I71)
 */
export const messagesRequest = Type.Object({
  ...promptMembers,
  max_tokens: Type.Integer({
    minimum: 1,
    maximum: CEILING_MAX,
    description: 'Most tokens of the answer; required in this dialect.',
  }),
  provider: sharedMembers.provider,
  route: sharedMembers.route,
  ...compressionMembers,
  stream: sharedMembers.stream,
  stop_sequences: maybe(
    Type.Array(Type.String(), { maxItems: STOPS_MAX }),
    'Texts at which the answer ends, at most 8.',
  ),
  ...parameterMembers('messages'),
  tool_choice: maybe(
    Type.Union([
      Type.Object({
        type: Type.Literal('auto', { description: 'The model decides whether it calls a tool.' }),
        ...parallel,
      }),
      Type.Object({ type: Type.Literal('any', { description: 'The model must call some tool.' }), ...parallel }),
      Type.Object({ type: Type.Literal('none', { description: 'The model calls no tool.' }), ...parallel }),
      Type.Object({
        type: Type.Literal('tool', { description: 'The model must call the named tool.' }),
        name: described(toolName, 'Name of the function that must be called.'),
        ...parallel,
      }),
    ]),
    'Whether the model may, must or must not call a function, or which one.',
  ),
  cache_control: maybe(cacheControl, 'Marks the end of a prefix that the provider may cache.'),
  modalities: maybe(
    Type.Array(oneOf('text', 'image', 'audio'), { maxItems: NAMES_MAX }),
    'Kinds of content that the answer may hold.',
  ),
  output_config: maybe(
    Type.Object({
      format: maybe(
        Type.Object({
          type: Type.Literal('json_schema', { description: 'Always `json_schema`.' }),
          schema: opaque('JSON Schema: forwarded without being compiled.'),
        }),
        'The form: JSON that fits a schema.',
      ),
    }),
    'Form of the answer.',
  ),
  metadata: maybe(opaque(), 'Accepted without effect.'),
  thread: maybe(opaque(), 'Refused: conversations are not retained. SDKs then send the whole one.'),
  thinking: maybe(opaque(), 'Accepted without effect: a model thinks as it does by default.'),
  stream_options: maybe(
    Type.Object({ include_tool_dispatch: maybe(Type.Boolean(), 'true is refused in this dialect.') }),
    'What a stream carries beside the answer.',
  ),
});

export type MessagesRequest = Static<typeof messagesRequest>;
