import type { Usage } from '../../terms/usage.ts';
import { addCompletionUsage, addPromptUsage, isBrokenCount, type OpenUsage, tokenCount } from '../prompt-usage.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * The `usageMetadata` of an answer. The prompt's count includes what was read from a cache and leaves out what hosted
 * tools added; the answer's count leaves out the thoughts, and is absent where there is only thought.
 */
export function readUsage(reported: Members): Usage {
  const { promptTokenCount: prompt, candidatesTokenCount: said, thoughtsTokenCount: reasoning } = reported;
  const { toolUsePromptTokenCount: added, cachedContentTokenCount: cacheRead, totalTokenCount: total } = reported;
  const usage: OpenUsage = {};
  const input = sum(prompt, added);
  addPromptUsage(usage, { ...NO_CACHE, input, cacheRead }, 'included');
  const isSilent = said == null && (reasoning != null || (total != null && total === input));
  const media = reported.candidatesTokensDetails;
  const answer = {
    output: isSilent ? 0 : said,
    reasoning,
    image: countOf(media, 'IMAGE'),
    audio: countOf(media, 'AUDIO'),
  };
  addCompletionUsage(usage, answer, 'excluded');
  return usage;
}

const NO_CACHE = { cacheWrite: null, cacheWrite5m: null, cacheWrite1h: null };

/** Unreported where the first count is, or either is invalid. */
function sum(one: unknown, other: unknown): number | undefined {
  const counted = tokenCount(one);
  return counted === undefined || isBrokenCount(other) ? undefined : tokenCount(counted + (tokenCount(other) ?? 0));
}

function countOf(details: unknown, wanted: string): unknown {
  if (!Array.isArray(details)) return null;
  const found = (details as readonly (Members | null)[]).find((detail) => detail?.modality === wanted);
  return found?.tokenCount ?? null;
}
