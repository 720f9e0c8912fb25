import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { ReasoningHistory } from '../../../actors/terms/wire.ts';
import type { CacheTime, ContentPart, Turn, TurnMessage } from '../../terms/turn.ts';
import type { Learnt } from '../adapter.ts';
import { addressText, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';
import { toolIdMapper } from '../tool-ids.ts';
import { assistantContent, earlierReasoning, hasForm, signedCalls } from './earlier-reasoning.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** How one endpoint spells a conversation: prepared once, so that a message asks nothing that is not declared. */
interface Spelling {
  /** The role of system texts. */
  readonly system: string;
  readonly acceptsParts: boolean;
  readonly omitsName: boolean;
  readonly omitsRefusal: boolean;
  readonly omitsDetails: boolean;
  readonly marks: boolean;
}

function spellingOf({ inputModalities, target: { wire = {} } }: Endpoint): Spelling {
  const { omit = [], systemRole = 'system', cacheControl = false } = wire;
  return {
    // `developer` is a newer name for `system` that not every server accepts.
    system: systemRole,
    // Every part but text is declared, so an endpoint without any other input may accept strings only.
    acceptsParts: cacheControl || inputModalities.some((modality) => modality !== 'text'),
    omitsName: omit.includes('messages.name'),
    omitsRefusal: omit.includes('messages.refusal'),
    omitsDetails: omit.includes('messages.reasoning_details'),
    marks: cacheControl,
  };
}

/**
 * The declared form of earlier reasoning; otherwise that in which the endpoint has reasoned on this node. Until then a
 * model that declares to reason gets its reasoning in the form of OpenRouter, as text alone where the endpoint takes no
 * entries, and any other gets none.
 */
function historyOf({ reasoning, target }: Endpoint, { reasonedIn }: Learnt): ReasoningHistory {
  const declared = target.wire?.reasoningHistory ?? 'auto';
  if (declared !== 'auto') return declared;
  const history = reasonedIn ?? (reasoning === null ? 'none' : 'details');
  const isPlain = history === 'details' && target.wire?.omit?.includes('messages.reasoning_details') === true;
  return isPlain ? 'reasoning' : history;
}

/** What of a conversation has a form at an endpoint. */
export function formsOf({ reasoning, target: { wire = {} } }: Endpoint): ConversationForms {
  const { omit = [], cacheControl = false, reasoningHistory = reasoning === null ? 'none' : 'auto' } = wire;
  return {
    names: !omit.includes('messages.name'),
    marks: cacheControl,
    medium: ({ context }) => context === undefined,
    reasoning: (message) => hasForm(message, reasoningHistory),
  };
}

/**
 * The messages of a turn as the `messages` of a chat completion request, in JSON. Several texts of one message stay
 * parts for an endpoint that accepts parts, and are concatenated for others. (measured with two short messages in one
 * body: 0.4 us as text, 1.1 us by way of objects)
 */
export function conversationWriter(
  endpoint: Endpoint,
  learnt: Learnt = {},
): (turn: Pick<Turn, 'messages' | 'cacheFor' | 'tools'>) => string {
  const spelling = spellingOf(endpoint);
  const withToolIds = toolIdMapper(endpoint.target.wire ?? {});
  return ({ messages, cacheFor, tools }) => {
    const history = historyOf(endpoint, learnt);
    const withTools = tools !== undefined;
    const marked = spelling.marks && cacheFor !== undefined ? markedAtEnd(messages, cacheFor) : messages;
    return listText(withToolIds(marked), (message) => messageText(message, spelling, history, withTools));
  };
}

interface Content {
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

function messageText(message: TurnMessage, spelling: Spelling, history: ReasoningHistory, withTools: boolean): string {
  switch (message.role) {
    case 'assistant':
      return isPlain(message) && !(withTools && history === 'reasoning_content')
        ? `{"role":"assistant","content":${JSON.stringify(message.text)}}`
        : JSON.stringify(wireAssistant(message, spelling, history, withTools));
    case 'tool': {
      const said = message.isError ? failed(message) : message;
      const { cacheFor } = message;
      const content = contentText(spelling.marks && cacheFor ? withMark(said, cacheFor) : said, spelling);
      return `{"role":"tool","content":${content},"tool_call_id":${JSON.stringify(message.toolCallId)}}`;
    }
    default: {
      const role = message.role === 'user' ? 'user' : spelling.system;
      const name = spelling.omitsName ? '' : memberText('name', message.name);
      return `{"role":"${role}","content":${contentText(message, spelling)}${name}}`;
    }
  }
}

const FAILED = 'Error: ';

/** This dialect has no member for the failure of a tool, so its content begins with the word. */
function failed({ text, parts }: Content): Content {
  const said = `${FAILED}${text}`;
  return parts === undefined ? { text: said } : { text: said, parts: [{ type: 'text', text: FAILED }, ...parts] };
}

/** A text and nothing else: the usual answer. */
function isPlain({ text, toolCalls, reasoning, reasoningDetails, refusal, name, blocks }: Assistant): boolean {
  if (text === null || toolCalls !== undefined || blocks !== undefined) return false;
  return reasoning === undefined && reasoningDetails === undefined && refusal === undefined && name === undefined;
}

/** Undefined members are omitted. Reasoning goes back in the form of the endpoint. (rule I38) */
function wireAssistant(message: Assistant, spelling: Spelling, history: ReasoningHistory, withTools: boolean): object {
  const { refusal, toolCalls } = message;
  const text = message.text ?? (spelling.omitsRefusal ? refusal : undefined) ?? (toolCalls ? null : '');
  const calls = toolCalls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const { reasoning, reasoning_content, reasoning_details, extra_content } = earlierReasoning(
    message,
    history,
    withTools,
  );
  return {
    role: 'assistant',
    content: (spelling.marks ? markedBlocks(message) : null) ?? assistantContent(message, text, history),
    name: spelling.omitsName ? undefined : message.name,
    refusal: spelling.omitsRefusal ? undefined : refusal,
    reasoning,
    reasoning_content,
    reasoning_details: spelling.omitsDetails ? undefined : reasoning_details,
    extra_content,
    tool_calls: calls && history === 'signature' ? signedCalls(calls, message) : calls,
  };
}

/** The texts of an answer as parts, where one is marked for the cache. */
function markedBlocks({ blocks }: Assistant): object[] | null {
  if (!blocks?.some((block) => block.type === 'text' && block.cacheFor !== undefined)) return null;
  return blocks.flatMap((block) =>
    block.type === 'text' ? [{ type: 'text', text: block.text, cache_control: cacheControl(block.cacheFor) }] : [],
  );
}

/** The end of the prompt is marked at its last part. An answer at the end has none. */
function markedAtEnd(messages: readonly TurnMessage[], cacheFor: CacheTime): readonly TurnMessage[] {
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') return messages;
  return messages.slice(0, -1).concat({ ...last, ...withMark(last, cacheFor) });
}

function withMark({ text, parts = [{ type: 'text', text }] }: Content, cacheFor: CacheTime): Content {
  return { text, parts: parts.map((part, at) => (at === parts.length - 1 ? { cacheFor, ...part } : part)) };
}

/** Five minutes are the default of providers with marks. */
function cacheControl(cacheFor: CacheTime | undefined): object | undefined {
  if (cacheFor === undefined) return undefined;
  return cacheFor === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

/** A mark as a member with its leading comma; empty without one. */
export function cacheMember(cacheFor: CacheTime | undefined): string {
  return cacheFor === undefined ? '' : `,"cache_control":${JSON.stringify(cacheControl(cacheFor))}`;
}

/** Text without parts is the common case. A message with media has no other form than parts. */
function contentText({ text, parts }: Content, { acceptsParts, marks }: Spelling): string {
  const areText = parts === undefined || (!acceptsParts && parts.every(({ type }) => type === 'text'));
  return areText ? JSON.stringify(text) : listText(parts, marks ? markedPartText : partText);
}

function markedPartText(part: ContentPart): string {
  return part.cacheFor === undefined ? partText(part) : `${partText(part).slice(0, -1)}${cacheMember(part.cacheFor)}}`;
}

/** Audio bytes are sent as the `data:` URL of an `audio_url`, in whichever form they arrived. (the same rules) */
function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return `{"type":"text","text":${JSON.stringify(part.text)}}`;
    case 'image':
      return `{"type":"image_url","image_url":{"url":${addressText(part.source)}${memberText('detail', part.detail)}}}`;
    case 'audio':
      return `{"type":"audio_url","audio_url":{"url":${addressText(part.source)}}}`;
    case 'video':
      return `{"type":"video_url","video_url":{"url":${addressText(part.source)}}}`;
    case 'file': {
      const named = part.filename === undefined ? '' : `"filename":${JSON.stringify(part.filename)},`;
      return `{"type":"file","file":{${named}"file_data":${addressText(part.source)}}}`;
    }
  }
}
