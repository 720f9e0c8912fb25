import { createHash } from 'node:crypto';
import { madeCharacters, type ToolIdPattern, type Wire } from '../../actors/terms/wire.ts';
import type { AssistantBlock, ReasoningDetail, TurnMessage } from '../terms/turn.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** Ids of calls that most services accept. */
export const COMMON_TOOL_ID: ToolIdPattern = {
  characters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  min: 1,
  max: 64,
};

/**
 * Brings the ids of a conversation's calls and results into the form that a provider accepts. Accepted ids pass, and any
 * other is replaced by one that depends on it and on the messages before, so that a call and its result agree, in every
 * request, and two ids never become one. Returns the messages themselves where there is nothing to replace.
 */
export function toolIdMapper({
  toolId,
}: Pick<Wire, 'toolId'>): (messages: readonly TurnMessage[]) => readonly TurnMessage[] {
  if (toolId === undefined) return (messages) => messages;
  const isAccepted = acceptance(toolId);
  return (messages) => (areAccepted(messages, isAccepted) ? messages : mapped(messages, toolId, isAccepted));
}

function areAccepted(messages: readonly TurnMessage[], isAccepted: (id: string) => boolean): boolean {
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!isAccepted(message.toolCallId)) return false;
    } else if (message.role === 'assistant' && message.toolCalls !== undefined) {
      for (const { id } of message.toolCalls) if (!isAccepted(id)) return false;
    }
  }
  return true;
}

function idsOf(message: TurnMessage): readonly string[] {
  if (message.role === 'tool') return [message.toolCallId];
  return message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
}

function mapped(
  messages: readonly TurnMessage[],
  toolId: ToolIdPattern,
  isAccepted: (id: string) => boolean,
): readonly TurnMessage[] {
  const known = new Map<string, string>();
  const taken = new Set(messages.flatMap(idsOf).filter(isAccepted));
  const idOf = (id: string): string => {
    const before = isAccepted(id) ? id : known.get(id);
    if (before !== undefined) return before;
    let own = made(id, toolId);
    for (let nth = 1; taken.has(own); nth++) own = made(`${nth}:${id}`, toolId);
    known.set(id, own);
    taken.add(own);
    return own;
  };
  return messages.map((message) => {
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

function acceptance({ characters, min, max }: ToolIdPattern): (id: string) => boolean {
  const accepted = new Set(characters);
  return (id) => {
    if (id.length < min || id.length > max) return false;
    for (const character of id) if (!accepted.has(character)) return false;
    return true;
  };
}

function made(id: string, { characters, min, max }: ToolIdPattern): string {
  const length = madeCharacters({ min, max });
  let text = '';
  for (let block = 0; text.length < length; block++) {
    const digest = createHash('sha256').update(`${block}:${id}`).digest();
    for (let at = 0; at + 2 <= digest.length && text.length < length; at += 2) {
      text += characters[digest.readUInt16BE(at) % characters.length];
    }
  }
  return text;
}
