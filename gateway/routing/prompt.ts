import { type GatewayError, invalid } from '../terms/gateway-error.ts';
import type { PromptTokens } from '../terms/plan.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import { type PromptSize, promptCount, promptHeld, type TurnSizes, totalSize } from '../tokens/prompt-size.ts';
import { type TrimmableConversation, trimmableConversation } from './middle-out.ts';

/** A turn's prompt by one vocabulary: as sent, and in pieces only where messages may be dropped. */
export interface Prompt {
  readonly messages: readonly TurnMessage[];
  readonly tokens: PromptTokens;
  /** Null unless the turn asks for compression. */
  readonly conversation: TrimmableConversation | null;
  /** Of a turn whose inputs have a window each; null for any other turn. */
  readonly longestInput: LongestInput | null;
}

export function promptOf(turn: Turn, sizes: TurnSizes): Prompt {
  const { messages, compress } = turn;
  const conversation = compress ? trimmableConversation(messages, sizes) : null;
  const size = conversation?.sizes.at(-1) ?? totalSize(sizes);
  const longest = rulesOf(turn).inputs === null ? null : longestInput(sizes);
  return { messages, tokens: tokensOf(size), conversation, longestInput: longest };
}

export function tokensOf(size: PromptSize): PromptTokens {
  return {
    counted: promptCount(size),
    held: promptHeld(size),
    reportedMax: promptReportedMax(size),
    reportedMin: promptReportedMin(size),
  };
}

/** Margin by which our count of a prompt may be below the provider's. */
const FIT_MARGIN = 1.01;
const FIT_MARGIN_TOKENS = 8;

/** A ceiling that is lowered anyway also leaves room for the text that a provider's template may add. */
const TRIM_MARGIN = 1.02;
const TRIM_MARGIN_TOKENS = 64;
/** Nobody misses a part of a ceiling that nobody asked for, and an unknown tokenizer may count this many times ours. */
const UNKNOWN_TOKENIZER_MARGIN = 1.25;

/** The count of prompt tokens with a small margin: whether a prompt, or a prompt and its ceiling, fit a window. */
export function fittedPromptTokens({ counted }: Pick<PromptTokens, 'counted'>): number {
  return Math.ceil(counted * FIT_MARGIN) + FIT_MARGIN_TOKENS;
}

/**
 * The prompt tokens that a trimmed ceiling leaves room for. `unsure`: nobody asked for it, and the count is a guess.
 */
export function trimmedForTokens({ counted }: Pick<PromptTokens, 'counted'>, unsure: boolean): number {
  return Math.ceil(counted * (unsure ? UNKNOWN_TOKENIZER_MARGIN : TRIM_MARGIN)) + TRIM_MARGIN_TOKENS;
}

/** The longest input of a turn whose inputs have a window each. */
export interface LongestInput {
  readonly at: number;
  readonly tokens: number;
}

function longestInput({ messages }: TurnSizes): LongestInput {
  let longest: LongestInput = { at: 0, tokens: 0 };
  for (const [at, size] of messages.entries()) {
    const tokens = promptCount(size);
    if (tokens > longest.tokens) longest = { at, tokens };
  }
  return longest;
}

/** 400: the inputs together are too long for any request. */
export function tooManyInputTokens(member: string, counted: number, most: number): GatewayError {
  return invalid(`${member} must have at most ${most} tokens in total; it has about ${counted}`);
}

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

/**
 * The smallest window to which a server is known to cut prompts in silence, with an error status for none: 2,048 tokens,
 * the default of Ollama's `num_ctx` for years.
 */
const CUT_WINDOW_TOKENS_MIN = 2_048;
/**
 * A report below this share of our count, and of this many bytes a token, means that the text was not read whole. Both
 * have to hold: a vocabulary that knows a script has up to five times fewer tokens of it than one that does not, but none
 * has 16 bytes a token of a language; English has four to five.
 */
const CUT_FACTOR = 4;
const CUT_BYTES_PER_TOKEN = 16;

/**
 * The fewest prompt tokens that a provider reports which read the whole prompt; 0 for a prompt that is too short to
 * judge. Text alone is judged, since the size of media is a guess. (rule K82)
 */
function promptReportedMin({ textTokens, bytes }: PromptSize): number {
  if (textTokens < CUT_FACTOR * CUT_WINDOW_TOKENS_MIN) return 0;
  return Math.min(Math.ceil(textTokens / CUT_FACTOR), Math.ceil(bytes / CUT_BYTES_PER_TOKEN));
}

/** Inputs that are token ids count exactly, so their bound is their count; any media part has a larger bound. */
function hasMedia({ mediaBound, mediaCounted }: PromptSize): boolean {
  return mediaBound > mediaCounted;
}
