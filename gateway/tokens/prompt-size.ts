import type { ContentPart, Tool, Turn, TurnMessage } from '../terms/turn.ts';
import { mediaTokens } from './media-tokens.ts';
import { textHundredths } from './text-hundredths.ts';
import { utf8Bytes } from './utf8-bytes.ts';

/** What a prompt weighs before any tokenizer: the one measurement that both the bound and the count work from. */
export interface PromptSize {
  /** UTF-8 bytes of everything that becomes prompt text, tool declarations included, and the guess at its tokens, in hundredths. */
  readonly bytes: number;
  readonly textHundredths: number;
  readonly messages: number;
  readonly tools: number;
  /** Tokens of pictures, sound and documents. */
  readonly mediaCounted: number;
  readonly mediaBound: number;
}

type Weight = { -readonly [member in keyof PromptSize]: PromptSize[member] };

/** Measures a turn as it is sent: its messages and what goes with them. One pass, nothing per token. */
export function promptSize(turn: Turn): PromptSize {
  const weight = emptyWeight();
  for (const message of turn.messages) weighMessage(weight, message);
  weighDeclarations(weight, turn);
  return weight;
}

/** One message alone. Sizes of messages and of declarations add up (`addSize`) to that of the prompt made of them. */
export function messageSize(message: TurnMessage): PromptSize {
  const weight = emptyWeight();
  weighMessage(weight, message);
  return weight;
}

/** What is sent whatever happens to the messages: tool declarations, and the answer's JSON Schema. */
export function declarationsSize(turn: Turn): PromptSize {
  const weight = emptyWeight();
  weighDeclarations(weight, turn);
  return weight;
}

/** Both together. */
export function addSize(a: PromptSize, b: PromptSize): PromptSize {
  return {
    bytes: a.bytes + b.bytes,
    textHundredths: a.textHundredths + b.textHundredths,
    messages: a.messages + b.messages,
    tools: a.tools + b.tools,
    mediaCounted: a.mediaCounted + b.mediaCounted,
    mediaBound: a.mediaBound + b.mediaBound,
  };
}

function emptyWeight(): Weight {
  return { bytes: 0, textHundredths: 0, messages: 0, tools: 0, mediaCounted: 0, mediaBound: 0 };
}

function weighMessage(weight: Weight, message: TurnMessage): void {
  weight.messages += 1;
  if (message.text !== null) weigh(weight, message.text);
  if (message.role === 'assistant') {
    weighAssistant(weight, message);
    return;
  }
  if (message.parts !== undefined) for (const part of message.parts) weighPart(weight, part);
  if (message.role === 'tool') weigh(weight, message.toolCallId);
  else if (message.name !== undefined) weigh(weight, message.name);
}

function weighAssistant(weight: Weight, message: Extract<TurnMessage, { role: 'assistant' }>): void {
  if (message.name !== undefined) weigh(weight, message.name);
  if (message.reasoning !== undefined) weigh(weight, message.reasoning);
  if (message.refusal !== undefined) weigh(weight, message.refusal);
  for (const call of message.toolCalls ?? []) {
    weigh(weight, call.id);
    weigh(weight, call.name);
    weigh(weight, call.arguments);
  }
  for (const { text, summary, data, signature } of message.reasoningDetails ?? []) {
    if (text) weigh(weight, text);
    if (summary !== undefined) weigh(weight, summary);
    // Sealed thoughts are opened by the provider and never cost more tokens than they have bytes.
    if (data !== undefined) weigh(weight, data);
    if (signature) weigh(weight, signature);
  }
}

/** The text of a message holds that of its parts already. */
function weighPart(weight: Weight, part: ContentPart): void {
  if (part.type === 'text') return;
  const { counted, bound } = mediaTokens(part);
  weight.mediaCounted += counted;
  weight.mediaBound += bound;
  if (part.filename !== undefined) weigh(weight, part.filename);
}

function weighDeclarations(weight: Weight, turn: Turn): void {
  if (turn.tools !== undefined) {
    weight.tools += turn.tools.length;
    for (const tool of turn.tools) weighTool(weight, tool);
  }
  if (turn.responseFormat) weigh(weight, JSON.stringify(turn.responseFormat));
  // What a provider makes of its own options nobody knows: they may be prompt, and count for the bound alone.
  if (turn.preferences.options) weight.bytes += utf8Bytes(JSON.stringify(turn.preferences.options));
}

function weighTool(weight: Weight, tool: Tool): void {
  weigh(weight, tool.name);
  if (tool.description !== undefined) weigh(weight, tool.description);
  if (tool.parameters !== undefined) weigh(weight, JSON.stringify(tool.parameters));
}

function weigh(weight: Weight, text: string): void {
  weight.bytes += utf8Bytes(text);
  weight.textHundredths += textHundredths(text);
}
