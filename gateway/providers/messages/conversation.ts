import type { ContentPart, MediaPart, ToolCall, TurnMessage } from '../../terms/turn.ts';
import { listText, memberText } from '../json-text.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { thinkingBlocks } from './thinking.ts';

/** What the dialect knows of a conversation: one system prompt, and turns that alternate. JSON texts. */
export interface MessagesConversation {
  readonly system: string | null;
  /** The `messages` array. */
  readonly messages: string;
}

interface WireTurn {
  readonly role: 'user' | 'assistant';
  readonly blocks: string[];
}

/**
 * The messages of a turn for a provider that speaks the messages dialect: every system text joins the leading prompt
 * after a blank line, results of tools come back as blocks of the user's turn, neighbours of one role become one turn.
 * Throws `ProviderFailure` for what the dialect has no form for. (spec: inference, Messages dialect request)
 */
export function conversation(messages: readonly TurnMessage[]): MessagesConversation {
  const system: string[] = [];
  const turns: WireTurn[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') system.push(message.text);
    else addTo(turns, message.role === 'assistant' ? 'assistant' : 'user', blocksOf(message));
  }
  return {
    system: system.length === 0 ? null : JSON.stringify(system.join('\n\n')),
    messages: listText(turns, turnText),
  };
}

function turnText({ role, blocks }: WireTurn): string {
  return `{"role":"${role}","content":${listText(blocks, String)}}`;
}

/** A turn without a block is none: the dialect refuses it. */
function addTo(turns: WireTurn[], role: WireTurn['role'], blocks: readonly string[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.blocks.push(...blocks);
  else turns.push({ role, blocks: [...blocks] });
}

function blocksOf(message: TurnMessage): string[] {
  switch (message.role) {
    case 'assistant':
      return [
        ...thinkingBlocks(message.reasoningDetails ?? []),
        ...textBlocks(message.text ?? message.refusal ?? ''),
        ...(message.toolCalls ?? []).map(toolUse),
      ];
    case 'tool':
      return [toolResult(message.toolCallId, contentBlocks(message))];
    default:
      return contentBlocks(message);
  }
}

function contentBlocks(message: { readonly text: string; readonly parts?: readonly ContentPart[] }): string[] {
  if (message.parts === undefined) return textBlocks(message.text);
  return message.parts.flatMap((part) => (part.type === 'text' ? textBlocks(part.text) : [mediaBlock(part)]));
}

/** The dialect refuses a block of text without text. */
function textBlocks(text: string): string[] {
  return text === '' ? [] : [`{"type":"text","text":${JSON.stringify(text)}}`];
}

function mediaBlock(part: MediaPart): string {
  const { source } = part;
  if (part.type !== 'image' && part.type !== 'file') {
    throw new ProviderFailure('rejected', `the messages dialect has no form for ${part.type}`);
  }
  const type = part.type === 'image' ? 'image' : 'document';
  const title = part.type === 'file' ? part.filename : undefined;
  if (source.kind === 'url') return JSON.stringify({ type, source: { type: 'url', url: source.url }, title });
  if (source.mediaType === null) {
    throw new ProviderFailure('rejected', 'the messages dialect asks for the media type of what it is given');
  }
  const { mediaType, base64 } = source;
  if (mediaType.startsWith('text/')) {
    const data = Buffer.from(base64, 'base64').toString('utf8');
    return JSON.stringify({ type, source: { type: 'text', media_type: 'text/plain', data }, title });
  }
  // Base64 was checked and needs no escape, which to look for takes long in a whole picture.
  const wire = `{"type":"base64","media_type":${JSON.stringify(mediaType)},"data":"${base64}"}`;
  return `{"type":"${type}","source":${wire}${memberText('title', title)}}`;
}

/** The arguments go back digit by digit as they came; what is no object goes back as the text of one member. */
function toolUse(call: ToolCall): string {
  const head = `{"type":"tool_use","id":${JSON.stringify(blockId(call.id))},"name":${JSON.stringify(call.name)}`;
  return `${head},"input":${isObjectText(call.arguments) ? call.arguments : inputOf(call.arguments)}}`;
}

function inputOf(text: string): string {
  return text.trim() === '' ? '{}' : JSON.stringify({ arguments: text });
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function toolResult(id: string, blocks: readonly string[]): string {
  const content = blocks.length === 0 ? '' : `,"content":${listText(blocks, String)}`;
  return `{"type":"tool_result","tool_use_id":${JSON.stringify(blockId(id))}${content}}`;
}

/** Ids of other providers may hold what this dialect refuses; both ends of a call are changed alike. */
function blockId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_');
}
