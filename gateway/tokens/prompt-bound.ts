import type { PromptSize } from './prompt-size.ts';

/** Tokens that a provider's chat template adds per request, per message, per tool, and once for any tools. */
const REQUEST_TOKENS = 64;
const MESSAGE_TOKENS = 16;
const TOOL_TOKENS = 48;
const TOOLS_PREAMBLE_TOKENS = 512;

/**
 * An upper bound of prompt tokens for all tokenizers in use: sizes holds, never charges. It rests on the bytes: a
 * byte-level vocabulary spends at most one token on a byte of text, and templates add a fixed number per message and per
 * tool. For ordinary English it is about four times the true count; `promptCount` is the best estimate.
 */
export function promptBound(size: PromptSize): number {
  const tools = size.tools === 0 ? 0 : TOOLS_PREAMBLE_TOKENS + size.tools * TOOL_TOKENS;
  return size.bytes + size.mediaBound + REQUEST_TOKENS + size.messages * MESSAGE_TOKENS + tools;
}
