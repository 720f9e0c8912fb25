import type { OpenUsage } from './prompt-usage.ts';
import { tokenCount } from './token-count.ts';

/** What a provider said about its answer, in its own words, under one set of names. Null and absent are the same. */
export interface ReportedCompletion {
  readonly output: unknown;
  readonly reasoning: unknown;
  readonly image: unknown;
  readonly audio: unknown;
}

/**
 * Adds the counts of the answer in the one form: the total holds reasoning and media. `counting` says whether the
 * provider's own total holds the reasoning. Parts larger than their total contradict it: all are unreported.
 */
export function addCompletionUsage(
  usage: OpenUsage,
  reported: ReportedCompletion,
  counting: 'included' | 'excluded',
): void {
  const own = tokenCount(reported.output);
  if (own === undefined) return;
  const reasoning = tokenCount(reported.reasoning);
  const image = tokenCount(reported.image);
  const audio = tokenCount(reported.audio);
  const total = counting === 'included' ? own : tokenCount(own + (reasoning ?? 0));
  if (total === undefined || (reasoning ?? 0) + (image ?? 0) + (audio ?? 0) > total) return;
  usage.completionTokens = total;
  if (reasoning !== undefined) usage.reasoningTokens = reasoning;
  if (image !== undefined) usage.imageTokens = image;
  if (audio !== undefined) usage.audioTokens = audio;
}
