import { formatText, jsonText } from '../terms/json-text.ts';
import type { ContentPart, PartOrigin, Tool, Turn, TurnMessage } from '../terms/turn.ts';
import { mediaTokens } from './media-tokens.ts';

/** What one message, or the declarations of a turn, adds to its prompt. */
export interface PromptContents {
  /** The texts whose tokens count. */
  readonly texts: readonly string[];
  /**
   * What the hold allows for and is never charged: the bytes of provider options, which may join the prompt, and a
   * token for each text part, which a template may separate.
   */
  readonly heldOnlyTokens: number;
  /** Zero for an input with a window of its own, which no template surrounds. */
  readonly messages: number;
  readonly tools: number;
  /** Tokens of media, and of inputs that are token ids. */
  readonly mediaCounted: number;
  readonly mediaBound: number;
}

export function messageContents(message: TurnMessage): PromptContents {
  const texts: string[] = [];
  const add = (text: string | null | undefined): void => {
    if (text) texts.push(text);
  };
  add(message.text);
  if (message.role === 'assistant') addAssistant(message, add);
  else add(message.role === 'tool' ? message.toolCallId : message.name);
  let mediaCounted = 0;
  let mediaBound = 0;
  let heldOnlyTokens = 0;
  let origin: PartOrigin | undefined;
  for (const part of partsOf(message)) {
    if (part.origin !== origin) {
      origin = part.origin;
      if (origin !== undefined) addOrigin(origin, add);
    }
    // The text of a message already includes its text parts.
    if (part.type === 'text') {
      heldOnlyTokens += 1;
      continue;
    }
    const { counted, bound } = mediaTokens(part);
    mediaCounted += counted;
    mediaBound += bound;
    add(part.filename);
    add(part.context);
  }
  return { texts, heldOnlyTokens, messages: 1, tools: 0, mediaCounted, mediaBound };
}

function addOrigin(origin: PartOrigin, add: (text: string | undefined) => void): void {
  add(origin.title);
  add(origin.type === 'search_result' ? origin.source : origin.context);
}

/** A provider puts marks around an input, or an instruction before it. */
const INPUT_HELD_TOKENS = 8;

/**
 * An input with a window of its own: nothing but its text or its token ids is counted, and the query that a model reads
 * with it.
 */
export function inputContents(input: TurnMessage, query?: string): PromptContents {
  const tokens = input.role === 'user' ? (input.tokens?.length ?? 0) : 0;
  return {
    texts: [query, input.text].filter((text): text is string => Boolean(text)),
    heldOnlyTokens: INPUT_HELD_TOKENS,
    messages: 0,
    tools: 0,
    mediaCounted: tokens,
    mediaBound: tokens,
  };
}

function partsOf(message: TurnMessage): readonly ContentPart[] {
  return message.role === 'assistant' ? NO_PARTS : (message.parts ?? NO_PARTS);
}

const NO_PARTS: readonly ContentPart[] = [];

function addAssistant(
  message: Extract<TurnMessage, { role: 'assistant' }>,
  add: (text: string | null | undefined) => void,
): void {
  add(message.name);
  add(message.reasoning);
  add(message.refusal);
  for (const call of message.toolCalls ?? []) {
    add(call.id);
    add(call.name);
    add(call.arguments);
  }
  for (const { text, summary, data, signature } of message.reasoningDetails ?? []) {
    add(text);
    add(summary);
    // Encrypted reasoning is decrypted by the provider and never takes more tokens than it has bytes.
    add(data);
    add(signature);
  }
}

/** The part that compression never drops: tool declarations, and the JSON Schema of the answer. */
export function declarationContents({ tools = NO_TOOLS, responseFormat, preferences }: Turn): PromptContents {
  const texts: string[] = [];
  for (const { name, description, parameters } of tools) {
    texts.push(name);
    if (description) texts.push(description);
    if (parameters !== undefined) texts.push(jsonText(parameters));
  }
  if (responseFormat) texts.push(formatText(responseFormat));
  const { options } = preferences;
  return {
    texts,
    heldOnlyTokens: options === undefined ? 0 : Buffer.byteLength(JSON.stringify(options)),
    messages: 0,
    tools: tools.length,
    mediaCounted: 0,
    mediaBound: 0,
  };
}

const NO_TOOLS: readonly Tool[] = [];
