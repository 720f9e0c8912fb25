import type { Tool, Turn } from '../terms/turn.ts';
import { utf8Bytes } from './utf8-bytes.ts';

/** What a prompt weighs before any tokenizer: the one measurement that both the bound and the count work from. */
export interface PromptSize {
  /** UTF-8 bytes and UTF-16 units of everything that becomes prompt text, tool declarations included. */
  readonly bytes: number;
  readonly characters: number;
  readonly messages: number;
  readonly tools: number;
}

/** Measures a turn as it is sent: texts, names, tool calls and results, tool declarations, the answer's JSON Schema. */
export function promptSize(turn: Turn): PromptSize {
  const weight = { bytes: 0, characters: 0 };
  for (const message of turn.messages) {
    if (message.text !== null) weigh(weight, message.text);
    if (message.role === 'tool') weigh(weight, message.toolCallId);
    else if (message.name !== undefined) weigh(weight, message.name);
    if (message.role !== 'assistant' || !message.toolCalls) continue;
    for (const call of message.toolCalls) {
      weigh(weight, call.id);
      weigh(weight, call.name);
      weigh(weight, call.arguments);
    }
  }
  for (const tool of turn.tools ?? []) weighTool(weight, tool);
  if (turn.responseFormat) weigh(weight, JSON.stringify(turn.responseFormat));
  const { bytes, characters } = weight;
  return { bytes, characters, messages: turn.messages.length, tools: turn.tools?.length ?? 0 };
}

interface Weight {
  bytes: number;
  characters: number;
}

function weigh(weight: Weight, text: string): void {
  weight.bytes += utf8Bytes(text);
  weight.characters += text.length;
}

function weighTool(weight: Weight, tool: Tool): void {
  weigh(weight, tool.name);
  if (tool.description !== undefined) weigh(weight, tool.description);
  if (tool.parameters !== undefined) weigh(weight, JSON.stringify(tool.parameters));
}
