import { type Static, Type } from 'typebox';
import { LABEL_CHARACTERS_MAX, maybe, oneOf } from '../request/members.ts';

const MEDIA_TYPE_CHARACTERS_MAX = 128;

/** The mark up to which a provider that has marks caches the prompt; five minutes without `ttl`. */
export const cacheControl = Type.Object({ type: Type.Literal('ephemeral'), ttl: maybe(oneOf('5m', '1h')) });

const marked = { cache_control: maybe(cacheControl) };
const label = Type.String({ maxLength: LABEL_CHARACTERS_MAX });
const id = Type.String({ minLength: 1 });

const base64Source = Type.Object({
  type: Type.Literal('base64'),
  media_type: Type.String({ minLength: 1, maxLength: MEDIA_TYPE_CHARACTERS_MAX }),
  data: Type.String({ minLength: 1, contentEncoding: 'base64' }),
});
const urlSource = Type.Object({ type: Type.Literal('url'), url: Type.String({ minLength: 1 }) });
const fileSource = Type.Object({
  type: Type.Literal('file'),
  file_id: Type.String({ maxLength: LABEL_CHARACTERS_MAX, description: 'The id of a stored file.' }),
});
const textSource = Type.Object({ type: Type.Literal('text'), data: Type.String() });

export const textBlock = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...marked });
const imageBlock = Type.Object({
  type: Type.Literal('image'),
  source: Type.Union([base64Source, urlSource, fileSource]),
  ...marked,
});
const documentBlock = Type.Object({
  type: Type.Literal('document'),
  source: Type.Union([base64Source, urlSource, fileSource, textSource]),
  title: maybe(label),
  ...marked,
});
const content = [textBlock, imageBlock, documentBlock] as const;
const contentBlock = Type.Union([...content]);
const toolResult = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: id,
  content: maybe(Type.Union([Type.String(), Type.Array(contentBlock)])),
  is_error: maybe(Type.Boolean()),
  ...marked,
});
const userBlock = Type.Union([...content, toolResult]);

const assistantBlock = Type.Union([
  textBlock,
  Type.Object({ type: Type.Literal('thinking'), thinking: Type.String(), signature: maybe(Type.String()) }),
  Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }),
  Type.Object({
    type: Type.Literal('tool_use'),
    id,
    name: Type.String({ minLength: 1 }),
    input: maybe(Type.Object({}, { description: 'The arguments of the call.' })),
    ...marked,
  }),
  // A picture of an earlier reply. No endpoint takes one back from its own side, so it is accepted and not sent.
  Type.Object({ type: Type.Literal('image') }),
]);

const text = Type.Union([Type.String(), Type.Array(textBlock)]);
export const systemText = text;

/** One turn of a messages request, by its role. (rule I71) */
export const messageSchema = Type.Union([
  Type.Object({
    role: Type.Literal('user'),
    content: Type.Union([Type.String(), Type.Array(userBlock, { minItems: 1 })]),
  }),
  Type.Object({ role: Type.Literal('assistant'), content: Type.Union([Type.String(), Type.Array(assistantBlock)]) }),
  Type.Object({ role: Type.Literal('system'), content: text }),
]);

export type WireMessage = Static<typeof messageSchema>;
export type WireUserBlock = Static<typeof userBlock>;
export type WireAssistantBlock = Static<typeof assistantBlock>;
export type WireContentBlock = Static<typeof contentBlock>;
export type WireToolResult = Static<typeof toolResult>;
export type WireTextBlock = Static<typeof textBlock>;
export type WireCacheControl = Static<typeof cacheControl>;
