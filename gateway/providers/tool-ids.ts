import { createHash } from 'node:crypto';
import type { ToolIdPattern, Wire } from '../../actors/terms/wire.ts';
import type { AssistantBlock, ReasoningDetail, TurnMessage } from '../terms/turn.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** Longest id that is made; 20 characters of a class of letters differ in more than 90 bits. */
const MADE_CHARACTERS_MAX = 20;

/**
 * Brings the ids of a conversation's calls and results into the form that a provider accepts. Its own ids pass, and any
 * other is replaced by one that depends on it alone, so that a call and its result agree, in every request. Returns the
 * messages themselves where the endpoint declares no form.
 */
export function toolIdMapper({ toolId }: Wire): (messages: readonly TurnMessage[]) => readonly TurnMessage[] {
  if (toolId === undefined) return (messages) => messages;
  const idOf = acceptedIds(toolId);
  return (messages) =>
    messages.map((message) => {
      if (message.role === 'tool') return { ...message, toolCallId: idOf(message.toolCallId) };
      return message.role === 'assistant' && message.toolCalls !== undefined ? withIds(message, idOf) : message;
    });
}

/** An entry of reasoning that belongs to a call names it. */
function withIds(message: Assistant, idOf: (id: string) => string): Assistant {
  const { toolCalls = [], reasoningDetails, blocks } = message;
  const called = new Set(toolCalls.map(({ id }) => id));
  const detailOf = (detail: ReasoningDetail): ReasoningDetail =>
    detail.id != null && called.has(detail.id) ? { ...detail, id: idOf(detail.id) } : detail;
  const blockOf = (block: AssistantBlock): AssistantBlock => {
    if (block.type === 'reasoning') return { ...block, detail: detailOf(block.detail) };
    return block.type === 'call' ? { ...block, call: { ...block.call, id: idOf(block.call.id) } } : block;
  };
  return {
    ...message,
    toolCalls: toolCalls.map((call) => ({ ...call, id: idOf(call.id) })),
    ...(reasoningDetails === undefined ? {} : { reasoningDetails: reasoningDetails.map(detailOf) }),
    ...(blocks === undefined ? {} : { blocks: blocks.map(blockOf) }),
  };
}

function acceptedIds({ characters, min, max }: ToolIdPattern): (id: string) => string {
  const accepted = new Set(characters);
  const length = Math.max(min, Math.min(max, MADE_CHARACTERS_MAX));
  return (id) => {
    if (id.length >= min && id.length <= max && [...id].every((character) => accepted.has(character))) return id;
    return made(id, characters, length);
  };
}

function made(id: string, characters: string, length: number): string {
  let text = '';
  for (let block = 0; text.length < length; block++) {
    const digest = createHash('sha256').update(`${block}:${id}`).digest();
    for (let at = 0; at + 2 <= digest.length && text.length < length; at += 2) {
      text += characters[digest.readUInt16BE(at) % characters.length];
    }
  }
  return text;
}
