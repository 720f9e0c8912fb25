import type { PromptSize } from './prompt-size.ts';

/** Tokens per character of plain text and code, and per extra UTF-8 byte of every other script (CJK has two of them). */
const ASCII_TOKENS = 1 / 4;
const EXTRA_BYTE_TOKENS = 0.45;
const MESSAGE_TOKENS = 4;
const REQUEST_TOKENS = 3;
const TOOL_TOKENS = 8;

/**
 * Best guess at the tokens of a text, from its length in characters and in UTF-8 bytes; 0 only for an empty one.
 * Charges what was delivered when no usage was reported; never sizes a hold.
 */
export function textCount(characters: number, bytes: number): number {
  const extra = bytes - characters;
  const plain = Math.max(0, characters - extra * 0.6);
  return Math.ceil(plain * ASCII_TOKENS + extra * EXTRA_BYTE_TOKENS);
}

/** Best guess at a prompt's tokens: its text, and what templates add around messages and tools. */
export function promptCount(size: PromptSize): number {
  const framing = REQUEST_TOKENS + size.messages * MESSAGE_TOKENS + size.tools * TOOL_TOKENS;
  return framing + size.mediaCounted + textCount(size.characters, size.bytes);
}
