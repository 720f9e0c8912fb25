import type { Usage } from '../../terms/usage.ts';

/** No reply has more tokens than this; a larger figure is noise. */
const TOKENS_MAX = 100_000_000;

/**
 * The `usage` object of a provider. A count that is not a whole number from 0 to a sane bound (negative, text,
 * fraction, huge) is unreported, never repaired. Null when there is no count in it at all.
 */
export function readUsage(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const prompt = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const completion = isObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const usage: { -readonly [member in keyof Usage]: Usage[member] } = {};
  if (isCount(value.prompt_tokens)) usage.promptTokens = value.prompt_tokens;
  if (isCount(value.completion_tokens)) usage.completionTokens = value.completion_tokens;
  if (isCount(prompt.cached_tokens)) usage.cachedTokens = prompt.cached_tokens;
  if (isCount(prompt.cache_write_tokens)) usage.cacheWriteTokens = prompt.cache_write_tokens;
  if (isCount(completion.reasoning_tokens)) usage.reasoningTokens = completion.reasoning_tokens;
  return Object.keys(usage).length === 0 ? null : usage;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= TOKENS_MAX;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
