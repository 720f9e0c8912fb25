import { type Static, Type } from 'typebox';
import { described, LABEL_CHARACTERS_MAX, maybe, objectOf, oneOf } from '../request/members.ts';
import { toolName } from '../request/shared-members.ts';

const DETAIL_CHARACTERS_MAX = 32;

const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });
const status = maybe(oneOf('in_progress', 'completed', 'incomplete'));
const itemId = maybe(Type.String());

/** Members beyond those listed are accepted: clients send items back with everything an answer gave them. */
const part = Type.Union([
  Type.Object({
    type: Type.Literal('input_text', { description: 'Text that the user wrote.' }),
    text: Type.String({ description: 'What the part says, as plain text.' }),
  }),
  Type.Object({
    type: Type.Literal('input_image', { description: 'A picture of the user.' }),
    image_url: maybe(Type.String({ minLength: 1 }), 'An https:, http: or base64 data: URL.'),
    file_id: maybe(label, 'Id of a stored file of the account.'),
    detail: maybe(
      Type.String({ maxLength: DETAIL_CHARACTERS_MAX }),
      'How closely the model looks at the picture: auto, low, high.',
    ),
  }),
  Type.Object({
    type: Type.Literal('input_file', { description: 'A document of the user.' }),
    filename: maybe(label, 'Name of the document, at most 256 characters.'),
    file_data: maybe(Type.String({ minLength: 1 }), 'The bytes: a base64 data: URL, or bare base64.'),
    file_url: maybe(Type.String({ minLength: 1 }), 'An https: or http: URL of the document.'),
    file_id: maybe(label, 'Id of a stored file of the account.'),
  }),
  Type.Object({
    type: Type.Literal('input_audio', { description: 'A part with audio in the request.' }),
    input_audio: objectOf('Sound in the request itself, in base64 with its format.', {
      data: Type.String({ minLength: 1, contentEncoding: 'base64', description: 'The audio in base64.' }),
      format: Type.String({ pattern: '^[a-zA-Z0-9]{1,16}$', description: 'Format of the audio, such as wav or mp3.' }),
    }),
  }),
  Type.Object({
    type: Type.Literal('output_text', { description: 'Text of an earlier answer.' }),
    text: Type.String({ description: 'What the part says, as plain text.' }),
  }),
  Type.Object({
    type: Type.Literal('refusal', { description: 'The model declined.' }),
    refusal: Type.String({ description: 'The words with which the model declined.' }),
  }),
  Type.Object({
    type: Type.Literal('output_image', { description: 'A picture of an earlier answer.' }),
    image_url: Type.String({ description: 'The picture as a data: URL.' }),
  }),
  Type.Object({
    type: Type.Literal('output_audio', { description: 'Speech of an earlier answer.' }),
    data: maybe(Type.String(), 'The audio in base64.'),
    transcript: maybe(Type.String(), 'The spoken words as text.'),
  }),
]);

const content = Type.Union([Type.String(), Type.Array(part)]);

const functionCall = Type.Object({
  type: Type.Literal('function_call', { description: 'A call that the model made in an earlier answer.' }),
  id: described(itemId, 'Id of the item, as an answer gave it.'),
  call_id: Type.String({ minLength: 1, description: 'Links a call with its output.' }),
  name: Type.String({ minLength: 1, description: 'Name of the called function.' }),
  namespace: maybe(toolName, 'Set of the function; absent for a function in none.'),
  arguments: Type.String({ description: 'Arguments of the call: JSON as text, as the model wrote it.' }),
  status: described(status, 'Without effect: accepted so that items can be sent back as they came.'),
});

const functionCallOutput = Type.Object({
  type: Type.Literal('function_call_output', { description: 'The output of a call.' }),
  id: described(itemId, 'Id of the item, as an answer gave it.'),
  call_id: Type.String({ minLength: 1, description: 'Links a call with its output.' }),
  output: described(content, 'What the function returned, as text or parts.'),
  status: described(status, 'Without effect: accepted so that items can be sent back as they came.'),
});

const reasoning = Type.Object({
  type: Type.Literal('reasoning', { description: 'Reasoning of an earlier answer.' }),
  id: described(itemId, 'Id of the item, as an answer gave it.'),
  summary: maybe(
    Type.Array(
      Type.Object({
        type: Type.Literal('summary_text', { description: 'Always `summary_text`.' }),
        text: Type.String({ description: 'What the summary says, as plain text.' }),
      }),
    ),
    'What the model thought, shortened by the provider.',
  ),
  content: maybe(
    Type.Array(
      Type.Object({
        type: Type.Literal('reasoning_text', { description: 'Always `reasoning_text`.' }),
        text: Type.String({ description: 'What the model thought, as plain text.' }),
      }),
    ),
    'The reasoning itself, where the provider shows it.',
  ),
  encrypted_content: maybe(Type.String(), 'Reasoning that only its provider can read; send it back unchanged.'),
  status: described(status, 'Without effect: accepted so that items can be sent back as they came.'),
});

const itemReference = Type.Object({
  type: Type.Literal('item_reference', {
    description: 'An item of a stored response: refused, since none are stored.',
  }),
  id: Type.String({ description: 'Names the stored item.' }),
});

/** The only kind whose `type` may be absent. */
const message = Type.Object({
  type: maybe(Type.Literal('message'), 'A message; the only kind of item whose type may be absent.'),
  id: described(itemId, 'Id of the item, as an answer gave it.'),
  role: described(oneOf('user', 'system', 'developer', 'assistant'), 'Who speaks in the message.'),
  content: described(content, 'The message, as text or parts.'),
  status: described(status, 'Without effect: accepted so that items can be sent back as they came.'),
});

/** One item of `input`, by its kind. (rule I84) */
export const inputItem = Type.Union([functionCall, functionCallOutput, reasoning, itemReference, message]);

export type InputItem = Static<typeof inputItem>;
export type InputPart = Static<typeof part>;
export type InputMessage = Static<typeof message>;
export type InputReasoning = Static<typeof reasoning>;
