import type { PromptSize } from './prompt-size.ts';
import { promptCount, promptHeld } from './prompt-size.ts';

/** A vocabulary that is not ours may count this many times our tokens, and a provider may add a system prompt. */
const TEXT_FACTOR = 2;
const SYSTEM_PROMPT_TOKENS = 4_096;
/** The size of pictures, sound and documents can only be guessed: the hold guesses high, and may still be short. */
const MEDIA_FACTOR = 4;

/**
 * The most prompt tokens that a provider may report and be believed. Provider options may join the prompt and are not
 * part of our own count, so they are allowed for; otherwise text hidden in them would be free.
 */
export function promptReportedMax(size: PromptSize): number {
  if (hasMedia(size)) return promptHeld(size) * MEDIA_FACTOR;
  return promptCount(size) * TEXT_FACTOR + SYSTEM_PROMPT_TOKENS + size.heldOnlyTokens;
}

/** Inputs that are token ids count exactly, so their bound is their count; any media part has a larger bound. */
function hasMedia({ mediaBound, mediaCounted }: PromptSize): boolean {
  return mediaBound > mediaCounted;
}
