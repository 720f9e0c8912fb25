import type {
  AssistantBlock,
  CacheTime,
  ContentPart,
  MediaPart,
  PartOrigin,
  ToolCall,
  TurnMessage,
} from '../../terms/turn.ts';
import { alternating, inputText, type Prompting, UNSUPPORTED, type WireTurn } from '../alternating.ts';
import { attached, listText, memberText } from '../json-text.ts';
import type { ConversationForms } from '../left-out.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { isOwnThinking, thinkingBlocks } from './thinking.ts';

/** A conversation in the messages dialect: one system prompt, and alternating turns. JSON texts. */
interface MessagesConversation {
  readonly system: string | null;
  /** The `messages` array. */
  readonly messages: string;
}

/** What of a conversation has a form here. */
export const FORMS: ConversationForms = {
  names: false,
  marks: true,
  medium: ({ detail }) => detail === undefined || detail === 'auto',
  origins: true,
  reasoning: ({ reasoningDetails }) => reasoningDetails?.every(isOwnThinking) ?? false,
};

/**
 * The messages of a turn for a provider that speaks the messages dialect: every system text joins the leading prompt
 * after a blank line, tool results become blocks of the user's turn, adjacent messages of one role become one turn. The
 * last system text is the user's turn where there is no other, because the dialect refuses an empty conversation.
 * Throws `ProviderFailure` for content that the dialect cannot express. (rule I71)
 */
export function conversation(messages: readonly TurnMessage[]): MessagesConversation {
  const { system, turns } = alternating(messages, blocksOf);
  return {
    system: systemText(system),
    messages: listText(turns, turnText),
  };
}

/**
 * One system message keeps its parts as blocks; the texts of several become one string, unless one is marked. A blank line
 * stands between two messages.
 */
function systemText(messages: readonly Prompting[]): string | null {
  const [first, ...more] = messages;
  if (first === undefined) return null;
  const areBlocks = more.length === 0 ? first.parts !== undefined : messages.some(isMarked);
  if (!areBlocks) return JSON.stringify(messages.map(({ text }) => text).join(BLANK_LINE));
  return listText([...contentBlocks(first), ...more.map(afterBlankLine).flatMap(contentBlocks)], String);
}

function isMarked({ parts }: Prompting): boolean {
  return parts?.some(({ cacheFor }) => cacheFor !== undefined) === true;
}

const BLANK_LINE = '\n\n';

function afterBlankLine({ text, parts = [{ type: 'text', text }] }: Prompting): Pick<Prompting, 'text' | 'parts'> {
  const [first, ...more] = parts;
  return first?.type === 'text'
    ? { text, parts: [{ ...first, text: BLANK_LINE + first.text }, ...more] }
    : { text, parts };
}

function turnText({ role, blocks }: WireTurn): string {
  return `{"role":"${role}","content":${listText(blocks, String)}}`;
}

function blocksOf(message: TurnMessage): string[] {
  switch (message.role) {
    case 'assistant':
      if (message.blocks !== undefined) return message.blocks.flatMap(assistantBlocks);
      return [
        ...(message.reasoningDetails ?? []).flatMap(thinkingBlocks),
        ...textBlocks(message.text ?? ''),
        ...textBlocks(message.refusal ?? ''),
        ...(message.toolCalls ?? []).map((call) => toolUse(call)),
      ];
    case 'tool':
      return [toolResult(message)];
    default:
      return contentBlocks(message);
  }
}

function assistantBlocks(block: AssistantBlock): string[] {
  if (block.type === 'text') return textBlocks(block.text, block.cacheFor);
  return block.type === 'reasoning' ? thinkingBlocks(block.detail) : [toolUse(block.call, block.cacheFor)];
}

function contentBlocks(message: { readonly text: string; readonly parts?: readonly ContentPart[] }): string[] {
  if (message.parts === undefined) return textBlocks(message.text);
  const blocks: string[] = [];
  for (let at = 0, end = 0; at < message.parts.length; at = end) {
    const { origin } = message.parts[at] as ContentPart;
    end = at + 1;
    if (origin === undefined) blocks.push(...partBlocks(message.parts[at] as ContentPart));
    else {
      while (message.parts[end]?.origin === origin) end++;
      blocks.push(...originBlocks(origin, message.parts.slice(at, end)));
    }
  }
  return blocks;
}

function partBlocks(part: ContentPart): string[] {
  return part.type === 'text' ? textBlocks(part.text, part.cacheFor) : [mediaBlock(part)];
}

/** The block that holds some parts, with the mark of the last of them; none where they are blank. */
function originBlocks(origin: PartOrigin, parts: readonly ContentPart[]): string[] {
  const last = parts.at(-1) as ContentPart;
  const { cacheFor, ...unmarked } = last;
  const content = [...parts.slice(0, -1), unmarked].flatMap(partBlocks);
  if (content.length === 0) return [];
  const held = `"content":${listText(content, String)}`;
  const end = `${citedText(origin.cited)}${cacheText(cacheFor)}}`;
  if (origin.type === 'search_result') {
    const { source, title } = origin;
    return [`{"type":"search_result"${memberText('source', source)}${memberText('title', title)},${held}${end}`];
  }
  const named = memberText('title', origin.title) + memberText('context', origin.context);
  return [`{"type":"document","source":{"type":"content",${held}}${named}${end}`];
}

function citedText(cited: true | undefined): string {
  return cited === undefined ? '' : ',"citations":{"enabled":true}';
}

/** No block for an empty text or one of white space alone, because the dialect refuses both. */
function textBlocks(text: string, cacheFor?: CacheTime): string[] {
  return !/\S/.test(text) ? [] : [`{"type":"text","text":${JSON.stringify(text)}${cacheText(cacheFor)}}`];
}

function mediaBlock(part: MediaPart): string {
  if (part.type !== 'image' && part.type !== 'file') {
    throw new ProviderFailure('rejected', `the messages dialect has no form for ${part.type}`, null, UNSUPPORTED);
  }
  const type = part.type === 'image' ? 'image' : 'document';
  const named =
    part.type === 'file'
      ? memberText('title', part.filename) + memberText('context', part.context) + citedText(part.cited)
      : '';
  return `{"type":"${type}","source":${sourceText(part)}${named}${cacheText(part.cacheFor)}}`;
}

function sourceText({ source }: MediaPart): string {
  if (source.kind === 'url') return JSON.stringify({ type: 'url', url: source.url });
  const { mediaType, base64 } = attached(source);
  if (mediaType === null) {
    throw new ProviderFailure('rejected', 'the messages dialect requires a media type', null, UNSUPPORTED);
  }
  if (mediaType.startsWith('text/')) {
    const data = Buffer.from(base64, 'base64').toString('utf8');
    return JSON.stringify({ type: 'text', media_type: 'text/plain', data });
  }
  // Base64 is already checked and needs no escapes; searching a whole picture for them is slow.
  return `{"type":"base64","media_type":${JSON.stringify(mediaType)},"data":"${base64}"}`;
}

function toolUse(call: ToolCall, cacheFor?: CacheTime): string {
  const head = `{"type":"tool_use","id":${JSON.stringify(call.id)},"name":${JSON.stringify(call.name)}`;
  return `${head},"input":${inputText(call)}${cacheText(cacheFor)}}`;
}

function toolResult(message: Extract<TurnMessage, { role: 'tool' }>): string {
  const blocks = contentBlocks(message);
  const content = blocks.length === 0 ? '' : `,"content":${listText(blocks, String)}`;
  const failed = message.isError ? ',"is_error":true' : '';
  const head = `{"type":"tool_result","tool_use_id":${JSON.stringify(message.toolCallId)}`;
  return `${head}${content}${failed}${cacheText(message.cacheFor)}}`;
}

/** The mark of a block for the provider's cache; five minutes are the dialect's default. */
export function cacheControl(cacheFor: CacheTime): object {
  return cacheFor === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

/** The mark as a member with its leading comma; empty without one. */
function cacheText(cacheFor: CacheTime | undefined): string {
  return cacheFor === undefined ? '' : `,"cache_control":${JSON.stringify(cacheControl(cacheFor))}`;
}
