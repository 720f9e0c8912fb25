import type { PromptTokens } from '../terms/plan.ts';

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
