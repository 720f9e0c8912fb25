import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { ContentPart, MediaPart, TurnMessage } from '../../terms/turn.ts';
import { inputText, UNSUPPORTED } from '../alternating.ts';
import { readable } from '../chat/earlier-reasoning.ts';
import { attached, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { toolIdMapper } from '../tool-ids.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** How one endpoint spells a conversation: prepared once. */
interface Spelling {
  readonly system: string;
  readonly thinks: boolean;
}

/** What of a conversation has a form here: of thinking its text alone. */
export function formsOf({ target: { wire = {} } }: Endpoint): ConversationForms {
  return {
    names: false,
    marks: false,
    medium: ({ detail, context }) => (detail === undefined || detail === 'auto') && context === undefined,
    reasoning: (message) => wire.reasoningHistory !== 'none' && isPlain(message),
  };
}

/** Nothing of it but its text. */
function isPlain(message: Assistant): boolean {
  const { reasoningDetails: details } = message;
  if (details === undefined) return true;
  const areTexts = details.every(
    ({ type, signature, format, id }) => type === 'reasoning.text' && signature == null && format == null && id == null,
  );
  return areTexts && details.map(({ text }) => text ?? '').join('') === readable(message);
}

/** Writes the messages of a turn as the `messages` of a chat request, in JSON. Throws for media other than pictures. */
export function conversationWriter({ target: { wire = {} } }: Endpoint): (messages: readonly TurnMessage[]) => string {
  const spelling = { system: wire.systemRole ?? 'system', thinks: wire.reasoningHistory !== 'none' };
  const withToolIds = toolIdMapper(wire);
  return (messages) =>
    listText(
      withToolIds(messages).flatMap((message) => messageTexts(message, spelling)),
      String,
    );
}

function messageTexts(message: TurnMessage, { system, thinks }: Spelling): readonly string[] {
  switch (message.role) {
    case 'assistant':
      return [assistantText(message, thinks)];
    case 'tool': {
      const { toolName, toolCallId, text, parts, isError } = message;
      const tail = memberText('tool_name', toolName) + memberText('tool_call_id', toolCallId);
      return contentTexts('tool', { text, parts, lead: isError ? 'Error: ' : '' }, tail);
    }
    default:
      return contentTexts(message.role === 'user' ? 'user' : system, { ...message, lead: '' }, '');
  }
}

function assistantText(message: Assistant, thinks: boolean): string {
  const { text, refusal = '', toolCalls = [] } = message;
  const thinking = memberText('thinking', thinks ? readable(message) : undefined);
  const calls = toolCalls.length === 0 ? '' : `,"tool_calls":${listText(toolCalls, callText)}`;
  return `{"role":"assistant","content":${JSON.stringify((text ?? '') + refusal)}${thinking}${calls}}`;
}

/** The arguments are an object. Servers before 0.12 ignore the id and go by the tool's name. */
function callText(call: NonNullable<Assistant['toolCalls']>[number]): string {
  const { id, name } = call;
  return `{"id":${JSON.stringify(id)},"function":{"name":${JSON.stringify(name)},"arguments":${inputText(call)}}}`;
}

interface Content {
  readonly text: string;
  readonly parts?: readonly ContentPart[] | undefined;
  readonly lead: string;
}

/**
 * One message, or more where a picture follows a text: the server shows the pictures of a message before its text, so
 * only further messages keep the order.
 */
function contentTexts(role: string, { text, parts, lead }: Content, tail: string): readonly string[] {
  const messages: string[] = [];
  let said = lead;
  let pictures: string[] = [];
  const add = (): void => {
    const images = pictures.length === 0 ? '' : `,"images":${listText(pictures, String)}`;
    messages.push(`{"role":"${role}","content":${JSON.stringify(said)}${images}${tail}}`);
    said = '';
    pictures = [];
  };
  for (const part of parts ?? [{ type: 'text', text } as const]) {
    if (part.type === 'text') {
      said += part.text;
      continue;
    }
    if (said !== '') add();
    pictures.push(pictureText(part));
  }
  if (said !== '' || pictures.length > 0 || messages.length === 0) add();
  return messages;
}

/** Base64 is already checked and needs no escapes. */
function pictureText({ type, source }: MediaPart): string {
  if (type !== 'image') throw new ProviderFailure('rejected', `no form for ${type} here`, null, UNSUPPORTED);
  if (source.kind === 'url') throw new ProviderFailure('rejected', 'pictures are sent as bytes', null, UNSUPPORTED);
  return `"${attached(source).base64}"`;
}
