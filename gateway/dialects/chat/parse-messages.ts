import type { ToolCall, TurnMessage } from '../../terms/turn.ts';
import { placedBlocks } from '../request/answer-blocks.ts';
import type { Carried } from '../request/carried.ts';
import { promptLines } from '../request/prompt-lines.ts';
import type { ChatMessage } from './message-schema.ts';
import { type Content, parseParts } from './parse-parts.ts';

type Assistant = Extract<ChatMessage, { role: 'assistant' }>;
type Turned = Extract<TurnMessage, { role: 'assistant' }>;
type MutableAssistant = { -readonly [member in keyof Turned]: Turned[member] };

/**
 * Messages of a checked request as terms. Media they carry is added to `carried` for routing. Throws 400 and 404 for
 * parts without a readable source. (rule I38, rule I39)
 */
export function parseMessages(messages: readonly ChatMessage[], carried: Carried): TurnMessage[] {
  return messages.map((message, at) => parseMessage(message, at, carried));
}

function parseMessage(message: ChatMessage, at: number, carried: Carried): TurnMessage {
  switch (message.role) {
    case 'assistant':
      return parseAssistant(message, at, carried);
    case 'tool':
      if (typeof message.content === 'string') {
        const { content: text, tool_call_id: toolCallId } = message;
        const toolName = carried.toolNameOf(toolCallId);
        // Written out: the usual result of a tool, and a spread takes as long as the rest.
        return toolName === undefined
          ? { role: 'tool', text, toolCallId }
          : { role: 'tool', text, toolCallId, toolName };
      }
      return { role: 'tool', ...content(message.content, at, carried), ...carried.answered(message.tool_call_id) };
    default: {
      const { role, name } = message;
      if (typeof message.content === 'string') {
        return name == null ? { role, text: message.content } : { role, text: message.content, name };
      }
      const parsed = content(message.content, at, carried);
      const { text, parts } = role === 'user' ? parsed : promptLines(parsed);
      return { role, text, ...(parts ? { parts } : {}), ...(name == null ? {} : { name }) };
    }
  }
}

function content(wire: Parameters<typeof parseParts>[0], at: number, carried: Carried): Content {
  return parseParts(wire, `messages[${at}].content`, carried);
}

function parseAssistant(message: Assistant, at: number, carried: Carried): TurnMessage {
  const turned: MutableAssistant = {
    role: 'assistant',
    text:
      message.content == null
        ? null
        : typeof message.content === 'string'
          ? message.content
          : content(message.content, at, carried).text,
  };
  if (message.name != null) turned.name = message.name;
  if (message.tool_calls && message.tool_calls.length > 0) {
    turned.toolCalls = message.tool_calls.map(toolCallOf);
    for (const call of turned.toolCalls) carried.addCall(call);
  }
  const reasoning = message.reasoning ?? message.reasoning_content;
  if (reasoning != null) turned.reasoning = reasoning;
  if (message.reasoning_details && message.reasoning_details.length > 0) {
    // The same entries as in the body: a provider may have signed them, so they are not rewritten.
    turned.reasoningDetails = message.reasoning_details as NonNullable<Turned['reasoningDetails']>;
  }
  if (message.refusal != null) turned.refusal = message.refusal;
  else if (turned.toolCalls && turned.reasoningDetails && turned.name === undefined) {
    const blocks = placedBlocks(turned.text, turned.toolCalls, turned.reasoningDetails);
    if (blocks !== null) turned.blocks = blocks;
  }
  return turned;
}

function toolCallOf({ id, function: called }: NonNullable<Assistant['tool_calls']>[number]): ToolCall {
  return { id, name: called.name, arguments: called.arguments };
}
