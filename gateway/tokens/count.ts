import type { PromptSize } from './prompt-size.ts';

/** What templates add around a message, a request and a tool. */
const MESSAGE_TOKENS = 4;
const REQUEST_TOKENS = 3;
const TOOL_TOKENS = 8;

/** Best guess at a prompt's tokens: its text, its media, and what templates add. Never sizes a hold. */
export function promptCount(size: PromptSize): number {
  const framing = REQUEST_TOKENS + size.messages * MESSAGE_TOKENS + size.tools * TOOL_TOKENS;
  // A guess is never above the bound: no text has more tokens than bytes.
  return framing + size.mediaCounted + Math.min(size.bytes, Math.ceil(size.textHundredths / 100));
}
