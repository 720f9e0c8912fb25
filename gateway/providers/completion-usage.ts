import type { OpenUsage } from './prompt-usage.ts';
import { tokenCount } from './token-count.ts';

/** A provider's raw counts of its answer, under one set of names. Null and absent are equivalent. */
export interface ReportedCompletion {
  readonly output: unknown;
  readonly reasoning: unknown;
  readonly image: unknown;
  readonly audio: unknown;
}

/**
 * Adds the counts of the answer in normal form: the total includes reasoning and media. `counting` states whether the
 * provider's own total includes the reasoning. Parts larger than their total contradict it: all are unreported.
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
