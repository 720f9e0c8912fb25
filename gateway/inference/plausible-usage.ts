import type { Usage } from '../terms/usage.ts';

/**
 * Providers count some tokens above the ceiling that they were sent; a count above this many times the ceiling is
 * noise.
 */
const PLAUSIBLE_FACTOR = 2;

type Writable = { -readonly [member in keyof Usage]: Usage[member] };

/** The most tokens that a provider may report for a turn. */
export interface UsageBounds {
  readonly promptTokensMax: number;
  readonly completionTokensMax: number;
}

/**
 * The reported usage without implausible counts, which are treated as unreported. A prompt within its bound counts as
 * reported, above the hold if need be: a provider adds a system prompt, or its vocabulary differs from ours. The answer
 * counts as the ceiling that was sent where more is reported, as noise above a factor of it, and parts may not exceed
 * their whole. Returns the same object where every count is plausible. (rule K73)
 */
export function plausibleUsage(usage: Usage, { promptTokensMax, completionTokensMax }: UsageBounds): Usage {
  const { promptTokens, completionTokens } = usage;
  const promptOk = isWithin(promptTokens, promptTokensMax);
  const completionOk = isWithin(completionTokens, completionTokensMax * PLAUSIBLE_FACTOR);
  const isAbove = completionOk && !isWithin(completionTokens, completionTokensMax);
  const cached = (usage.cachedTokens ?? 0) + (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  const spent = (usage.reasoningTokens ?? 0) + (usage.imageTokens ?? 0) + (usage.audioTokens ?? 0);
  const cachedOk = promptOk && isWithin(cached, promptTokens ?? promptTokensMax);
  const spentOk = completionOk && isWithin(spent, Math.min(completionTokens ?? Infinity, completionTokensMax));
  if (cachedOk && spentOk && !isAbove) return usage;
  const kept: Writable = { ...usage };
  if (!promptOk) delete kept.promptTokens;
  if (!completionOk) delete kept.completionTokens;
  if (isAbove) kept.completionTokens = completionTokensMax;
  if (!cachedOk) {
    delete kept.cachedTokens;
    delete kept.cacheWriteTokens;
    delete kept.cacheWrite1hTokens;
  }
  if (!spentOk) {
    delete kept.reasoningTokens;
    delete kept.imageTokens;
    delete kept.audioTokens;
  }
  return kept;
}

function isWithin(count: number | undefined, most: number): boolean {
  return count === undefined || count <= most;
}
