import type { PromptSize } from './prompt-size.ts';

/** What a provider's chat template may add per request, per message, per tool, and once for any tools. */
const REQUEST_TOKENS = 32;
const MESSAGE_TOKENS = 8;
const TOOL_TOKENS = 48;
const TOOLS_PREAMBLE_TOKENS = 512;

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
  const tools = size.tools === 0 ? 0 : TOOLS_PREAMBLE_TOKENS + size.tools * TOOL_TOKENS;
  return text + size.heldOnlyTokens + size.mediaBound + REQUEST_TOKENS + size.messages * MESSAGE_TOKENS + tools;
}
