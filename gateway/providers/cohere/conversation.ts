import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { ContentPart, MediaPart, ReasoningDetail, TurnMessage } from '../../terms/turn.ts';
import { UNSUPPORTED } from '../alternating.ts';
import { addressText, attached, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { toolIdMapper } from '../tool-ids.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** The place of earlier reasoning: parts of the content, or the plan of the calls where the model has no thinking. */
type ReasoningPlace = 'parts' | 'plan' | 'none';

function reasoningPlace({ reasoning, target }: Endpoint): ReasoningPlace {
  const declared = target.wire?.reasoningHistory;
  if (declared === 'none' || declared === 'parts') return declared;
  return reasoning === null ? 'plan' : 'parts';
}

/** What of a conversation has a form here. */
export function formsOf(endpoint: Endpoint): ConversationForms {
  const place = reasoningPlace(endpoint);
  return { names: false, marks: false, medium: () => true, reasoning: (message) => hasForm(message, place) };
}

/** Thinking is a text without a signature here, and a plan is one text. */
function hasForm(message: Assistant, place: ReasoningPlace): boolean {
  if (place === 'none' || message.reasoningDetails?.every(isPlain) === false) return false;
  return place === 'parts' || (message.toolCalls !== undefined && thoughtsOf(message).length === 1);
}

function isPlain({ type, text, signature, format, id }: ReasoningDetail): boolean {
  return type === 'reasoning.text' && Boolean(text) && signature == null && format == null && id == null;
}

interface Written {
  /** JSON text. */
  readonly messages: string;
  /** Documents that users attached, as JSON texts: they belong to the request, not to a message. */
  readonly documents: readonly string[];
}

/** The messages of a turn as those of a chat request. The writer throws `ProviderFailure` for media without a form. */
export function conversationWriter(endpoint: Endpoint): (messages: readonly TurnMessage[]) => Written {
  const { wire = {} } = endpoint.target;
  const system = wire.systemRole ?? 'system';
  const place = reasoningPlace(endpoint);
  const withToolIds = toolIdMapper(wire);
  return (messages) => {
    const documents: string[] = [];
    const texts = withToolIds(messages).flatMap((message): string | readonly string[] => {
      switch (message.role) {
        case 'assistant':
          return assistantText(message, place);
        case 'tool':
          return toolText(message);
        default:
          return `{"role":"${message.role === 'user' ? 'user' : system}","content":${userContent(message, documents)}}`;
      }
    });
    return { messages: listText(texts, String), documents };
  };
}

/** None for an answer without any content. */
function assistantText(message: Assistant, place: ReasoningPlace): readonly string[] {
  const { toolCalls } = message;
  const text = (message.text ?? '') + (message.refusal ?? '');
  const thoughts = place === 'none' ? [] : thoughtsOf(message);
  const content = place === 'parts' && thoughts.length > 0 ? thinkingParts(thoughts, text) : text || undefined;
  if (content === undefined && toolCalls === undefined) return [];
  return [
    JSON.stringify({
      role: 'assistant',
      tool_plan: place === 'plan' && toolCalls !== undefined ? thoughts.join('') || undefined : undefined,
      tool_calls: toolCalls?.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: given.trim() === '' ? '{}' : given },
      })),
      content,
    }),
  ];
}

function thinkingParts(thoughts: readonly string[], text: string): readonly object[] {
  const parts: object[] = thoughts.map((thinking) => ({ type: 'thinking', thinking }));
  if (text !== '') parts.push({ type: 'text', text });
  return parts;
}

/** The readable texts of the reasoning, whatever made it. */
function thoughtsOf({ reasoning, reasoningDetails = [] }: Assistant): readonly string[] {
  const texts = reasoningDetails.map(({ text, summary }) => text ?? summary ?? '').filter((each) => each !== '');
  return texts.length === 0 && reasoning ? [reasoning] : texts;
}

const FAILED = 'Error: ';

/** There is no member for the failure of a tool, so its content begins with the word. */
function toolText({ text, parts, toolCallId, isError }: Extract<TurnMessage, { role: 'tool' }>): string {
  const failed = isError ? FAILED : '';
  const content = parts === undefined ? JSON.stringify(failed + text) : toolContent(parts, failed);
  return `{"role":"tool","tool_call_id":${JSON.stringify(toolCallId)},"content":${content}}`;
}

function toolContent(parts: readonly ContentPart[], failed: string): string {
  const blocks = parts.flatMap((part) => {
    if (part.type === 'text') return textPart(part.text);
    if (part.type !== 'file') throw unsupported('a medium in the result of a tool');
    return [`{"type":"document","document":${documentText(part)}}`];
  });
  return listText([...textPart(failed), ...blocks], String);
}

/** Text without parts is the common case. */
function userContent(
  { text, parts }: { readonly text: string; readonly parts?: readonly ContentPart[] },
  documents: string[],
): string {
  if (parts === undefined) return JSON.stringify(text);
  const blocks = parts.flatMap((part) => {
    if (part.type === 'text') return textPart(part.text);
    if (part.type === 'image') {
      const url = addressText(part.source);
      return [`{"type":"image_url","image_url":{"url":${url}${memberText('detail', part.detail)}}}`];
    }
    documents.push(documentText(part));
    return [];
  });
  // A message has some content even where all that it has are documents.
  return blocks.length === 0 ? '"See the documents."' : listText(blocks, String);
}

function textPart(text: string): readonly string[] {
  return text === '' ? [] : [`{"type":"text","text":${JSON.stringify(text)}}`];
}

/** Documents are texts here, with any members that the model shall read beside it. */
function documentText({ type, source, filename, context }: MediaPart): string {
  if (type !== 'file' || source.kind === 'url') throw unsupported('a medium that is no text');
  const { mediaType, base64 } = attached(source);
  if (mediaType !== 'application/json' && mediaType?.startsWith('text/') !== true) {
    throw unsupported('a document that is no text');
  }
  return JSON.stringify({ data: { title: filename, context, text: Buffer.from(base64, 'base64').toString() } });
}

function unsupported(what: string): ProviderFailure {
  return new ProviderFailure('rejected', `the wire has no form for ${what}`, null, UNSUPPORTED);
}
