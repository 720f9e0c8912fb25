import { type Static, Type } from 'typebox';
import { described, LABEL_CHARACTERS_MAX, maybe, oneOf } from '../request/members.ts';

const MEDIA_TYPE_CHARACTERS_MAX = 128;

/** The mark up to which a provider that has marks caches the prompt; five minutes without `ttl`. */
export const cacheControl = Type.Object({
  type: Type.Literal('ephemeral', { description: 'ephemeral, the only kind.' }),
  ttl: maybe(oneOf('5m', '1h'), 'How long the prefix is kept: five minutes, or an hour.'),
});

const marked = { cache_control: maybe(cacheControl, 'Marks the end of a prefix that the provider may cache.') };
const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });
const id = Type.String({ minLength: 1 });

const base64Source = Type.Object({
  type: Type.Literal('base64', { description: 'Bytes in the request or the answer.' }),
  media_type: Type.String({
    minLength: 1,
    maxLength: MEDIA_TYPE_CHARACTERS_MAX,
    description: 'Media type of the bytes, such as image/png.',
  }),
  data: Type.String({ minLength: 1, contentEncoding: 'base64', description: 'The bytes in base64.' }),
});
const urlSource = Type.Object({
  type: Type.Literal('url', { description: 'A location from which the content can be read.' }),
  url: Type.String({ minLength: 1, description: 'An https:, http: or data: URL.' }),
});
const fileSource = Type.Object({
  type: Type.Literal('file', { description: 'A stored file.' }),
  file_id: Type.String({
    maxLength: LABEL_CHARACTERS_MAX,
    description: 'Names a stored file of the account, as POST /files answered it.',
  }),
});
const textSource = Type.Object({
  type: Type.Literal('text', { description: 'Plain text as a document.' }),
  data: Type.String({ description: 'The text of the document.' }),
});

const textBlock = Type.Object({
  type: Type.Literal('text', { description: 'A part of text.' }),
  text: Type.String({ description: 'What the part says, as plain text.' }),
  ...marked,
});
const imageBlock = Type.Object({
  type: Type.Literal('image', { description: 'A block with a picture.' }),
  source: Type.Union([base64Source, urlSource, fileSource], {
    description: 'The picture: bytes, an address, or a stored file.',
  }),
  ...marked,
});
const citations = {
  citations: maybe(
    Type.Object({ enabled: maybe(Type.Boolean(), 'true: the answer cites this block.') }),
    'Whether the answer names the passages of this block that it rests on.',
  ),
};
const contentSource = Type.Object({
  type: Type.Literal('content', { description: 'A document whose content is text and pictures.' }),
  content: Type.Union([Type.String(), Type.Array(Type.Union([textBlock, imageBlock]))], {
    description: 'The content, as text or blocks of text and pictures.',
  }),
});
const documentBlock = Type.Object({
  type: Type.Literal('document', { description: 'A block with a document.' }),
  source: Type.Union([base64Source, urlSource, fileSource, textSource, contentSource], {
    description: 'The document: bytes, an address, a stored file, text, or blocks.',
  }),
  title: maybe(label, 'Title of the document, for the model.'),
  context: maybe(Type.String(), 'What the model is told about the document; not quoted.'),
  ...citations,
  ...marked,
});
const searchResultBlock = Type.Object({
  type: Type.Literal('search_result', { description: 'What a search of the caller found.' }),
  source: Type.String({ description: 'Where it was found, such as an address: citations name it.' }),
  title: Type.String({ description: 'Title of the result, for the model.' }),
  content: Type.Array(textBlock, { description: 'What was found, as blocks of text.' }),
  ...citations,
  ...marked,
});
const content = [textBlock, imageBlock, documentBlock, searchResultBlock] as const;
const contentBlock = Type.Union([...content]);
const toolResult = Type.Object({
  type: Type.Literal('tool_result', { description: 'A block with the result of a tool call.' }),
  tool_use_id: described(id, 'Id of the call whose result this is.'),
  content: maybe(
    Type.Union([Type.String(), Type.Array(contentBlock)]),
    'The result, as text or blocks; absent for none.',
  ),
  is_error: maybe(Type.Boolean(), 'true: the tool failed, and the content says why.'),
  ...marked,
});
const userBlock = Type.Union([...content, toolResult]);

const assistantBlock = Type.Union([
  textBlock,
  Type.Object({
    type: Type.Literal('thinking', { description: 'A block of reasoning.' }),
    thinking: Type.String({ description: 'What the model thought, as plain text.' }),
    signature: maybe(Type.String(), 'Signature of the reasoning; send it back unchanged.'),
  }),
  Type.Object({
    type: Type.Literal('redacted_thinking', { description: 'Reasoning that only its provider can read.' }),
    data: Type.String({ description: 'The unreadable reasoning; send it back unchanged.' }),
  }),
  Type.Object({
    type: Type.Literal('tool_use', { description: 'A call of a tool.' }),
    id: described(id, 'Id of the call, which the block with its result repeats.'),
    name: Type.String({ minLength: 1, description: 'Name of the called tool.' }),
    input: maybe(Type.Object({}), 'The input of a turn, or the arguments of a tool call.'),
    ...marked,
  }),
  // A picture of an earlier reply. No endpoint takes one back from its own side, so it is accepted and not sent.
  Type.Object({
    type: Type.Literal('image', { description: 'A picture of an earlier answer: accepted and not sent on.' }),
  }),
]);

const text = Type.Union([Type.String(), Type.Array(textBlock)]);
export const systemText = text;

/** One turn of a messages request, by its role. (rule I71) */
export const messageSchema = Type.Union([
  Type.Object({
    role: Type.Literal('user', { description: 'What the user says.' }),
    content: Type.Union([Type.String(), Type.Array(userBlock, { minItems: 1 })], {
      description: "The user's text, or parts of text and media.",
    }),
  }),
  Type.Object({
    role: Type.Literal('assistant', { description: 'An earlier answer of the model.' }),
    content: Type.Union([Type.String(), Type.Array(assistantBlock)], {
      description: 'The text of that answer; absent where it only called tools.',
    }),
  }),
  Type.Object({
    role: Type.Literal('system', { description: 'Instructions that come before the conversation.' }),
    content: described(text, 'The instructions, as text or as parts of text.'),
  }),
]);

export type WireMessage = Static<typeof messageSchema>;
export type WireUserBlock = Static<typeof userBlock>;
export type WireAssistantBlock = Static<typeof assistantBlock>;
export type WireContentBlock = Static<typeof contentBlock>;
export type WireToolResult = Static<typeof toolResult>;
export type WireTextBlock = Static<typeof textBlock>;
export type WireCacheControl = Static<typeof cacheControl>;
