import type { EndpointTarget } from '../../../actors/terms/endpoint.ts';
import type { AssistantBlock, ContentPart, MediaPart, ReasoningDetail, TurnMessage } from '../../terms/turn.ts';
import { GEMINI_FORMAT } from '../../terms/turn.ts';
import { alternating, inputText, UNSUPPORTED } from '../alternating.ts';
import { UNSIGNED } from '../chat/earlier-reasoning.ts';
import { attached, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { demandsSignatures, isOfFirstFamilies } from './family.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;
type ToolResult = Extract<TurnMessage, { role: 'tool' }>;

/** A conversation as `systemInstruction` and `contents`, in JSON; null without a system text. */
interface GeminiConversation {
  readonly system: string | null;
  readonly contents: string;
}

/** Prepares once what an endpoint expects of every conversation. */
export function conversationWriter(target: EndpointTarget): (messages: readonly TurnMessage[]) => GeminiConversation {
  const demands = demandsSignatures(target);
  const takesMediaInResults = !isOfFirstFamilies(target);
  const sendsThoughts = target.wire?.reasoningHistory !== 'none';
  const asUser = target.wire?.systemRole === 'user';
  return (messages) => {
    const begun = demands ? currentTurn(messages) : NOBODY;
    const partsOf = (message: TurnMessage): readonly string[] => {
      if (message.role === 'assistant') return assistantParts(message, sendsThoughts, begun.has(message));
      return message.role === 'tool' ? resultParts(message, takesMediaInResults) : contentParts(message);
    };
    const { system, turns } = alternating(asUser ? messages.map(toUser) : messages, partsOf);
    const prompt = system.flatMap(contentParts);
    return {
      system: prompt.length === 0 ? null : `{"parts":${listText(prompt, String)}}`,
      contents: listText(
        turns,
        ({ role, blocks }) => `{"role":"${role === 'user' ? 'user' : 'model'}","parts":${listText(blocks, String)}}`,
      ),
    };
  };
}

/** What of a conversation has a form here. */
export function formsOf({ wire }: EndpointTarget): ConversationForms {
  const sendsThoughts = wire?.reasoningHistory !== 'none';
  return {
    names: false,
    marks: false,
    medium: ({ detail, context, filename }) =>
      (detail === undefined || detail === 'auto') && context === undefined && filename === undefined,
    reasoning: (message) => sendsThoughts && isCarried(message),
  };
}

const NOBODY: ReadonlySet<TurnMessage> = new Set();

/** The assistant's messages since the user spoke last: only their calls are looked at for signatures. */
function currentTurn(messages: readonly TurnMessage[]): ReadonlySet<TurnMessage> {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  return new Set(messages.slice(at + 1));
}

function toUser(message: TurnMessage): TurnMessage {
  return message.role === 'system' || message.role === 'developer' ? { ...message, role: 'user' } : message;
}

/** Thoughts that a Gemini model has written, and the signature of a text or of a call of this message. */
function isOwn({ type, format, text, data, id }: ReasoningDetail, calls: ReadonlySet<string>): boolean {
  if (format !== GEMINI_FORMAT) return false;
  if (type === 'reasoning.text') return Boolean(text);
  return type === 'reasoning.encrypted' && Boolean(data) && (id == null || calls.has(id));
}

/** Every entry goes back; a call has one signature. */
function isCarried({ reasoningDetails, toolCalls = [] }: Assistant): boolean {
  const calls = new Set(toolCalls.map(({ id }) => id));
  return (
    reasoningDetails?.every((detail) => {
      if (!isOwn(detail, calls)) return false;
      if (detail.type === 'reasoning.encrypted' && detail.id != null) calls.delete(detail.id);
      return true;
    }) ?? false
  );
}

interface Part {
  /** Without its closing brace. */
  text: string;
  isText: boolean;
  signature: string | null | undefined;
}

/**
 * An assistant's message part by part, each with the signature that it came with: a call's by its id, a text's is that
 * before or behind it. `demands`: a step whose calls have no signature gets the documented stand-in.
 */
function assistantParts(message: Assistant, sendsThoughts: boolean, demands: boolean): string[] {
  const calls = new Map<string, Part>();
  const parts: Part[] = [];
  const early: string[] = [];
  const signatures = new Map<string, string>();
  const add = (text: string, isText: boolean, signature?: string | null): Part => {
    const part = { text, isText, signature };
    parts.push(part);
    return part;
  };
  const ids = new Set(message.toolCalls?.map(({ id }) => id));
  for (const block of message.blocks ?? blocksOf(message)) {
    if (block.type === 'text') {
      if (block.text !== '') add(`{"text":${JSON.stringify(block.text)}`, true, early.shift());
    } else if (block.type === 'call') {
      const { id, name } = block.call;
      const members = `"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"args":${inputText(block.call)}`;
      calls.set(id, add(`{"functionCall":{${members}}`, false));
    } else if (sendsThoughts && isOwn(block.detail, ids)) {
      const { type, text = '', signature, data = '', id } = block.detail;
      if (type === 'reasoning.text') add(`{"text":${JSON.stringify(text)},"thought":true`, false, signature);
      else if (id != null) signatures.set(id, signatures.get(id) ?? data);
      else if (parts.at(-1)?.isText && parts.at(-1)?.signature === undefined) (parts.at(-1) as Part).signature = data;
      else early.push(data);
    }
  }
  for (const [id, call] of calls) call.signature = signatures.get(id);
  const [first] = calls.values();
  if (demands && first !== undefined && signatures.size === 0) first.signature = UNSIGNED;
  for (const signature of early) add('{"text":""', true, signature);
  return parts.map(({ text, signature }) => `${text}${memberText('thoughtSignature', signature || undefined)}}`);
}

function blocksOf({ reasoningDetails = [], text, refusal, toolCalls = [] }: Assistant): AssistantBlock[] {
  const blocks: AssistantBlock[] = reasoningDetails.map((detail) => ({ type: 'reasoning', detail }));
  for (const said of [text, refusal]) if (said) blocks.push({ type: 'text', text: said });
  for (const call of toolCalls) blocks.push({ type: 'call', call });
  return blocks;
}

function contentParts({ text, parts }: { readonly text: string; readonly parts?: readonly ContentPart[] }): string[] {
  if (parts === undefined) return textParts(text);
  return parts.flatMap((part) => (part.type === 'text' ? textParts(part.text) : [`{${mediaText(part)}}`]));
}

function textParts(text: string): string[] {
  return text === '' ? [] : [`{"text":${JSON.stringify(text)}}`];
}

/**
 * The result of a tool. Its media have names, by which the result shows their place among its texts. Models that take
 * none inside it get them behind it, each after its name.
 */
function resultParts(message: ToolResult, takesMedia: boolean): string[] {
  const { toolCallId: id, toolName: name = id, isError, text, parts } = message;
  const media = (parts ?? []).filter((part): part is MediaPart => part.type !== 'text');
  const nameOf = (part: MediaPart): string => `medium_${media.indexOf(part) + 1}`;
  const output =
    parts === undefined || media.length === 0
      ? text
      : parts.map((part) => (part.type === 'text' ? part.text : { $ref: nameOf(part) }));
  const response = JSON.stringify(isError ? { error: output } : { output });
  const inside =
    takesMedia && media.length > 0 ? `,"parts":${listText(media, (part) => `{${mediaText(part, nameOf(part))}}`)}` : '';
  const result = `{"functionResponse":{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"response":${response}${inside}}}`;
  if (takesMedia) return [result];
  return [result, ...media.flatMap((part) => [...textParts(`${nameOf(part)}:`), `{${mediaText(part)}}`])];
}

/** By the last letters of an address, since the wire asks for a type and an address has none. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/** A medium as the member of a part. `displayName` is known inside the results of tools only. */
function mediaText({ source }: MediaPart, displayName?: string): string {
  const named = memberText('displayName', displayName);
  if (source.kind === 'url') {
    const [, ending = ''] = /\.(\w{1,5})(?:[?#]|$)/.exec(source.url) ?? [];
    const type = memberText('mimeType', TYPES[ending.toLowerCase()]);
    return `"fileData":{"fileUri":${JSON.stringify(source.url)}${type}${named}}`;
  }
  const { mediaType, base64 } = attached(source);
  if (mediaType === null) {
    throw new ProviderFailure('rejected', 'the Gemini wire requires a media type', null, UNSUPPORTED);
  }
  // Base64 is already checked and needs no escapes; searching a whole picture for them is slow.
  return `"inlineData":{"mimeType":${JSON.stringify(mediaType)},"data":"${base64}"${named}}`;
}
