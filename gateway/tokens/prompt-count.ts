import type { PromptSize } from './prompt-size.ts';

/** Tokens that templates add per message, per request and per tool. */
const MESSAGE_TOKENS = 4;
const REQUEST_TOKENS = 3;
const TOOL_TOKENS = 8;

/** Best estimate of a prompt's tokens: its text, its media, and the template. Never sizes a hold. */
export function promptCount(size: PromptSize): number {
  const framing = REQUEST_TOKENS + size.messages * MESSAGE_TOKENS + size.tools * TOOL_TOKENS;
  // The estimate never exceeds the bound: no text has more tokens than bytes.
  return framing + size.mediaCounted + Math.min(size.bytes, Math.ceil(size.textHundredths / 100));
}
