import { type Static, Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe, oneOf } from '../request/members.ts';
import { toolName } from '../request/shared-members.ts';

const DETAIL_CHARACTERS_MAX = 32;

const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });
const status = maybe(oneOf('in_progress', 'completed', 'incomplete'));
const itemId = maybe(Type.String());

/** Members beyond those listed are accepted: clients send items back with everything an answer gave them. */
const part = Type.Union([
  Type.Object({ type: Type.Literal('input_text'), text: Type.String() }),
  Type.Object({
    type: Type.Literal('input_image'),
    image_url: maybe(Type.String({ minLength: 1, description: 'An https:, http: or base64 data: URL.' })),
    file_id: maybe(label),
    detail: maybe(Type.String({ maxLength: DETAIL_CHARACTERS_MAX })),
  }),
  Type.Object({
    type: Type.Literal('input_file'),
    filename: maybe(label),
    file_data: maybe(Type.String({ minLength: 1, description: 'A base64 data: URL, or bare base64.' })),
    file_url: maybe(Type.String({ minLength: 1, description: 'An https: or http: URL.' })),
    file_id: maybe(label),
  }),
  Type.Object({
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({
      data: Type.String({ minLength: 1, contentEncoding: 'base64' }),
      format: Type.String({ pattern: '^[a-zA-Z0-9]{1,16}$' }),
    }),
  }),
  Type.Object({ type: Type.Literal('output_text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
  Type.Object({ type: Type.Literal('output_image'), image_url: Type.String() }),
  Type.Object({ type: Type.Literal('output_audio'), data: maybe(Type.String()), transcript: maybe(Type.String()) }),
]);

const content = Type.Union([Type.String(), Type.Array(part)]);

const functionCall = Type.Object({
  type: Type.Literal('function_call'),
  id: itemId,
  call_id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  namespace: maybe(toolName),
  arguments: Type.String(),
  status,
});

const functionCallOutput = Type.Object({
  type: Type.Literal('function_call_output'),
  id: itemId,
  call_id: Type.String({ minLength: 1 }),
  output: content,
  status,
});

const reasoning = Type.Object({
  type: Type.Literal('reasoning'),
  id: itemId,
  summary: maybe(Type.Array(Type.Object({ type: Type.Literal('summary_text'), text: Type.String() }))),
  content: maybe(Type.Array(Type.Object({ type: Type.Literal('reasoning_text'), text: Type.String() }))),
  encrypted_content: maybe(Type.String()),
  status,
});

const itemReference = Type.Object({ type: Type.Literal('item_reference'), id: Type.String() });

/** The only kind whose `type` may be absent. */
const message = Type.Object({
  type: maybe(Type.Literal('message')),
  id: itemId,
  role: oneOf('user', 'system', 'developer', 'assistant'),
  content,
  status,
});

/** One item of `input`, by its kind. (rule I84) */
export const inputItem = Type.Union([functionCall, functionCallOutput, reasoning, itemReference, message]);

export type InputItem = Static<typeof inputItem>;
export type InputPart = Static<typeof part>;
export type InputMessage = Static<typeof message>;
export type InputReasoning = Static<typeof reasoning>;
