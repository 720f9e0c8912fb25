import type { PromptContents } from './prompt-contents.ts';

/** Size of a prompt, or of a part of one, by one vocabulary. Sizes add up (`addSize`). */
export interface PromptSize {
  /** UTF-8 bytes of its text, and the tokens of it. */
  readonly bytes: number;
  readonly textTokens: number;
  /** What holds allow for and nobody is charged for: provider options, and what templates put between parts. */
  readonly heldOnlyTokens: number;
  readonly messages: number;
  readonly tools: number;
  /** Tokens of images, audio, video and documents, and of inputs that are token ids. */
  readonly mediaCounted: number;
  readonly mediaBound: number;
}

/** The sizes of a turn's messages, in order, and of its declarations. */
export interface TurnSizes {
  readonly messages: readonly PromptSize[];
  readonly declarations: PromptSize;
}

/** `textTokens` are the tokens of all its texts. */
export function sizeOf(contents: PromptContents, bytes: number, textTokens: number): PromptSize {
  const { heldOnlyTokens, messages, tools, mediaCounted, mediaBound } = contents;
  return { bytes, textTokens, heldOnlyTokens, messages, tools, mediaCounted, mediaBound };
}

export function addSize(a: PromptSize, b: PromptSize): PromptSize {
  return {
    bytes: a.bytes + b.bytes,
    textTokens: a.textTokens + b.textTokens,
    heldOnlyTokens: a.heldOnlyTokens + b.heldOnlyTokens,
    messages: a.messages + b.messages,
    tools: a.tools + b.tools,
    mediaCounted: a.mediaCounted + b.mediaCounted,
    mediaBound: a.mediaBound + b.mediaBound,
  };
}

/** The size of a whole prompt. */
export function totalSize({ messages, declarations }: TurnSizes): PromptSize {
  return messages.reduce(addSize, declarations);
}

/** Tokens that templates add per message, per request and per tool. */
const MESSAGE_TOKENS = 4;
const REQUEST_TOKENS = 3;
const TOOL_TOKENS = 8;

/** Best estimate of a prompt's tokens: its text, its media, and the template around messages. */
export function promptCount(size: PromptSize): number {
  if (size.messages === 0) return size.mediaCounted + size.textTokens;
  const framing = REQUEST_TOKENS + size.messages * MESSAGE_TOKENS + size.tools * TOOL_TOKENS;
  return framing + size.mediaCounted + size.textTokens;
}

/** What a provider's chat template may add per request, per message, per tool, and once for any tools. */
const REQUEST_TOKENS_MAX = 32;
const MESSAGE_TOKENS_MAX = 8;
const TOOL_TOKENS_MAX = 48;
const TOOLS_PREAMBLE_TOKENS_MAX = 512;

/** Another vocabulary of the same family may count this many times the tokens of ours. */
const TEXT_MARGIN = 1.02;
/** Runs of one character have long tokens in some vocabularies only: no text is held at more bytes per token. */
const BYTES_PER_TOKEN_MAX = 8;

/**
 * The prompt tokens that a hold counts: its own count with a margin, and what templates and media may add. A provider
 * that reports more is charged exactly, and the overshoot is recorded. (rule K57, rule I118)
 */
export function promptHeld(size: PromptSize): number {
  const text = Math.max(Math.ceil(size.textTokens * TEXT_MARGIN), Math.ceil(size.bytes / BYTES_PER_TOKEN_MAX));
  const tools = size.tools === 0 ? 0 : TOOLS_PREAMBLE_TOKENS_MAX + size.tools * TOOL_TOKENS_MAX;
  return text + size.heldOnlyTokens + size.mediaBound + REQUEST_TOKENS_MAX + size.messages * MESSAGE_TOKENS_MAX + tools;
}
