import type { PromptTokens } from '../terms/plan.ts';

/** A count may be this much under the truth before a trimmed ceiling stops fitting. */
const COUNT_MARGIN = 1.1;
const COUNT_MARGIN_TOKENS = 32;

/** Tokens that a prompt is taken to have where too few would do harm: the count and a margin, at most the bound. */
export function paddedPromptTokens({ counted, bound }: PromptTokens): number {
  return Math.min(bound, Math.ceil(counted * COUNT_MARGIN) + COUNT_MARGIN_TOKENS);
}
