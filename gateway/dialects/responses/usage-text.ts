import type { Usage } from '../../terms/usage.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import { numberText } from '../reply/usage-text.ts';

const COUNTS = ['input_tokens', 'output_tokens', 'total_tokens'] as const;

/**
 * The `usage` object as JSON text. It states three counts: one that was not reported is 0 and named in
 * `heimdall.unreported`, which is absent when all were. The two details are 0 where they were not reported, since
 * strict clients require a number. `closing: null`: no charge is recorded, so no count and no cost is stated.
 * (rule I74)
 */
export function usageText(closing: Pick<Closing, 'usage' | 'cost'> | null): string {
  const usage: Usage = closing?.usage ?? {};
  const { promptTokens: input, completionTokens: output, cachedTokens = 0, reasoningTokens = 0 } = usage;
  const counts = [input, output, input === undefined || output === undefined ? undefined : input + output];
  const unreported = COUNTS.filter((_, at) => counts[at] === undefined);
  const [inputCount = 0, outputCount = 0, total = 0] = counts;
  const written = (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  const cacheWrite = written === 0 ? '' : `,"cache_write_tokens":${written}`;
  const extension = unreported.length === 0 ? '' : `,"heimdall":{"unreported":${JSON.stringify(unreported)}}`;
  const cost = closing === null ? '' : `,"cost":${numberText(closing.cost)}`;
  return (
    `{"input_tokens":${inputCount},"input_tokens_details":{"cached_tokens":${cachedTokens}${cacheWrite}}` +
    `,"output_tokens":${outputCount},"output_tokens_details":{"reasoning_tokens":${reasoningTokens}}` +
    `,"total_tokens":${total}${cost}${extension}}`
  );
}
