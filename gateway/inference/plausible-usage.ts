import type { Usage } from '../terms/usage.ts';

/** An answer may be this many times what the hold was sized for before it is taken for noise. */
const PLAUSIBLE_FACTOR = 2;

type Writable = { -readonly [member in keyof Usage]: Usage[member] };

/**
 * What was reported, without counts that cannot be true of this turn: those are as good as unreported. The prompt may be
 * as long as is believed (`promptTokensBelieved`), the answer exceed what was admitted by a factor, and parts may not add
 * up to more than their whole. The very object where nothing is amiss. (reliability, attack 76)
 */
export function plausibleUsage(usage: Usage, promptTokensMax: number, completionTokensMax: number): Usage {
  const { promptTokens, completionTokens } = usage;
  const promptOk = isWithin(promptTokens, promptTokensMax);
  const completionOk = isWithin(completionTokens, completionTokensMax * PLAUSIBLE_FACTOR);
  const cached = (usage.cachedTokens ?? 0) + (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  const spent = (usage.reasoningTokens ?? 0) + (usage.imageTokens ?? 0) + (usage.audioTokens ?? 0);
  const cachedOk = promptOk && isWithin(cached, promptTokens ?? promptTokensMax);
  const spentOk = completionOk && isWithin(spent, completionTokens ?? completionTokensMax);
  if (cachedOk && spentOk) return usage;
  const kept: Writable = { ...usage };
  if (!promptOk) delete kept.promptTokens;
  if (!completionOk) delete kept.completionTokens;
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
