import { type Static, Type } from 'typebox';
import { described, LABEL_CHARACTERS_MAX, maybe, objectOf } from '../request/members.ts';

const DETAIL_CHARACTERS_MAX = 32;

const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });
const url = Type.String({ minLength: 1, description: 'An https:, http: or base64 data: URL.' });

const textPart = Type.Object({
  type: Type.Literal('text', { description: 'A part of text.' }),
  text: Type.String({ description: 'What the part says, as plain text.' }),
});
const part = Type.Union([
  textPart,
  Type.Object({
    type: Type.Literal('image_url', { description: 'A part with a picture.' }),
    image_url: objectOf('Where the picture is.', {
      url: described(url, 'An https:, http: or base64 data: URL.'),
      detail: maybe(
        Type.String({ maxLength: DETAIL_CHARACTERS_MAX }),
        'How closely the model looks at the picture: auto, low, high.',
      ),
    }),
  }),
  Type.Object({
    type: Type.Literal('video_url', { description: 'A part with a video.' }),
    video_url: objectOf('Where the video is.', { url: described(url, 'An https:, http: or base64 data: URL.') }),
  }),
  Type.Object({
    type: Type.Literal('audio_url', { description: 'A part with audio at an address.' }),
    audio_url: objectOf('Where the audio is.', { url: described(url, 'An https:, http: or base64 data: URL.') }),
  }),
  Type.Object({
    type: Type.Literal('input_audio', { description: 'A part with audio in the request.' }),
    input_audio: objectOf('Sound in the request itself, in base64 with its format.', {
      data: Type.String({ minLength: 1, contentEncoding: 'base64', description: 'The audio in base64.' }),
      format: Type.String({ pattern: '^[a-zA-Z0-9]{1,16}$', description: 'Format of the audio, such as wav or mp3.' }),
    }),
  }),
  Type.Object({
    type: Type.Literal('file', { description: 'A part with a document.' }),
    file: objectOf('The document: its bytes, its address, or the id of a stored file.', {
      filename: maybe(label, 'Name of the document, at most 256 characters.'),
      file_data: maybe(Type.String({ minLength: 1 }), 'The bytes: a URL, a base64 data: URL, or bare base64.'),
      file_id: maybe(label, 'Id of a stored file of the account.'),
    }),
  }),
]);
const text = Type.Union([Type.String(), Type.Array(textPart)]);

const toolCall = Type.Object({
  id: Type.String({ minLength: 1, description: 'Id of the call, which the message with its result repeats.' }),
  type: maybe(Type.Literal('function'), 'Always `function`.'),
  function: objectOf('Which function is called, and with what.', {
    name: Type.String({ minLength: 1, description: 'Name of the called function.' }),
    arguments: Type.String({ description: 'Arguments of the call: JSON as text, as the model wrote it.' }),
  }),
});

/** Entries keep any further members that their provider added. */
const placed = {
  index: maybe(Type.Integer({ minimum: 0 }), 'Position of the entry among those of the message.'),
  format: maybe(label, "Format of the entry in the provider's word; send it back unchanged."),
  id: maybe(Type.String(), 'Id that the provider gave the entry.'),
};
const reasoningDetail = Type.Union([
  Type.Object({
    type: Type.Literal('reasoning.text', { description: 'Reasoning in plain text.' }),
    text: maybe(Type.String(), 'The reasoning itself.'),
    signature: maybe(Type.String(), 'Signature of the reasoning; send it back unchanged.'),
    ...placed,
  }),
  Type.Object({
    type: Type.Literal('reasoning.summary', {
      description: 'A summary of the reasoning, where the provider shows no more.',
    }),
    summary: Type.String({ description: 'What the reasoning said, shortened by the provider.' }),
    ...placed,
  }),
  Type.Object({
    type: Type.Literal('reasoning.encrypted', { description: 'Reasoning that only its provider can read.' }),
    data: Type.String({ description: 'The unreadable reasoning; send it back unchanged.' }),
    ...placed,
  }),
]);

/** One message of a chat request, by its role. (rule I37, rule I38) */
export const messageSchema = Type.Union([
  Type.Object({
    role: Type.Literal('system', { description: 'Instructions that come before the conversation.' }),
    content: described(text, 'The instructions, as text or as parts of text.'),
    name: maybe(Type.String(), 'Name of the participant, passed on to the model.'),
  }),
  Type.Object({
    role: Type.Literal('developer', { description: 'Instructions, under the name of newer models.' }),
    content: described(text, 'The instructions, as text or as parts of text.'),
    name: maybe(Type.String(), 'Name of the participant, passed on to the model.'),
  }),
  Type.Object({
    role: Type.Literal('user', { description: 'What the user says.' }),
    content: Type.Union([Type.String(), Type.Array(part, { minItems: 1 })], {
      description: "The user's text, or parts of text and media.",
    }),
    name: maybe(Type.String(), 'Name of the participant, passed on to the model.'),
  }),
  Type.Object({
    role: Type.Literal('assistant', { description: 'An earlier answer of the model.' }),
    content: maybe(text, 'The text of that answer; absent where it only called tools.'),
    tool_calls: maybe(Type.Array(toolCall), 'The tools that the answer called.'),
    reasoning: maybe(Type.String(), 'The reasoning of that answer, as text.'),
    reasoning_content: maybe(Type.String(), 'The same under another name; read where `reasoning` is absent.'),
    reasoning_details: maybe(Type.Array(reasoningDetail), 'Reasoning in structured entries; send them back unchanged.'),
    refusal: maybe(Type.String(), 'The words with which the model declined.'),
    name: maybe(Type.String(), 'Name of the participant, passed on to the model.'),
  }),
  Type.Object({
    role: Type.Literal('tool', { description: 'The result of a tool call.' }),
    content: Type.Union([Type.String(), Type.Array(part)], { description: 'The result, as text or parts.' }),
    tool_call_id: Type.String({ minLength: 1, description: 'Id of the call whose result this is.' }),
  }),
]);

export type ChatMessage = Static<typeof messageSchema>;
export type ChatPart = Static<typeof part>;
