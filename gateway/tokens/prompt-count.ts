import type { PromptSize } from './prompt-size.ts';

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
