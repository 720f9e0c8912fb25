import type { PromptTokens } from '../terms/plan.ts';

/** Margin by which a count may be too low before a trimmed ceiling stops fitting. */
const COUNT_MARGIN = 1.1;
const COUNT_MARGIN_TOKENS = 32;

/** The count of prompt tokens with a margin, at most the bound: for decisions where too low a count would fail. */
export function paddedPromptTokens({ counted, bound }: PromptTokens): number {
  return Math.min(bound, Math.ceil(counted * COUNT_MARGIN) + COUNT_MARGIN_TOKENS);
}
