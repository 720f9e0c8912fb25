import { type Static, Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe } from '../request/members.ts';

const DETAIL_CHARACTERS_MAX = 32;

const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });
const url = Type.String({ minLength: 1, description: 'An https:, http: or base64 data: URL.' });

const textPart = Type.Object({ type: Type.Literal('text'), text: Type.String() });
const part = Type.Union([
  textPart,
  Type.Object({
    type: Type.Literal('image_url'),
    image_url: Type.Object({ url, detail: maybe(Type.String({ maxLength: DETAIL_CHARACTERS_MAX })) }),
  }),
  Type.Object({ type: Type.Literal('video_url'), video_url: Type.Object({ url }) }),
  Type.Object({ type: Type.Literal('audio_url'), audio_url: Type.Object({ url }) }),
  Type.Object({
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({
      data: Type.String({ minLength: 1, contentEncoding: 'base64' }),
      format: Type.String({ pattern: '^[a-zA-Z0-9]{1,16}$' }),
    }),
  }),
  Type.Object({
    type: Type.Literal('file'),
    file: Type.Object({
      filename: maybe(label),
      file_data: maybe(Type.String({ minLength: 1, description: 'A URL, a base64 data: URL, or bare base64.' })),
      file_id: maybe(label),
    }),
  }),
]);
const text = Type.Union([Type.String(), Type.Array(textPart)]);

const toolCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: maybe(Type.Literal('function')),
  function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
});

/** Entries keep any further members that their provider added. */
const placed = { index: maybe(Type.Integer({ minimum: 0 })), format: maybe(label), id: maybe(Type.String()) };
const reasoningDetail = Type.Union([
  Type.Object({
    type: Type.Literal('reasoning.text'),
    text: maybe(Type.String()),
    signature: maybe(Type.String()),
    ...placed,
  }),
  Type.Object({ type: Type.Literal('reasoning.summary'), summary: Type.String(), ...placed }),
  Type.Object({ type: Type.Literal('reasoning.encrypted'), data: Type.String(), ...placed }),
]);

/** One message of a chat request, by its role. (rule I37, rule I38) */
export const messageSchema = Type.Union([
  Type.Object({ role: Type.Literal('system'), content: text, name: maybe(Type.String()) }),
  Type.Object({ role: Type.Literal('developer'), content: text, name: maybe(Type.String()) }),
  Type.Object({
    role: Type.Literal('user'),
    content: Type.Union([Type.String(), Type.Array(part, { minItems: 1 })]),
    name: maybe(Type.String()),
  }),
  Type.Object({
    role: Type.Literal('assistant'),
    content: maybe(text),
    tool_calls: maybe(Type.Array(toolCall)),
    reasoning: maybe(Type.String()),
    reasoning_details: maybe(Type.Array(reasoningDetail)),
    refusal: maybe(Type.String()),
    name: maybe(Type.String()),
  }),
  Type.Object({
    role: Type.Literal('tool'),
    content: Type.Union([Type.String(), Type.Array(part)]),
    tool_call_id: Type.String({ minLength: 1 }),
  }),
]);

export type ChatMessage = Static<typeof messageSchema>;
export type ChatPart = Static<typeof part>;
