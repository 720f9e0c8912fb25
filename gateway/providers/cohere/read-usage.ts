import type { Usage } from '../../terms/usage.ts';
import { membersOf } from '../parsed.ts';
import { addCompletionUsage, addPromptUsage, type OpenUsage, tokenCount } from '../prompt-usage.ts';

/**
 * Reads the usage of a chat answer: the tokens that are billed, or else those that the model read and wrote. The model
 * reads more than is billed: the template around the prompt, which the cache holds first, so that of the cached tokens
 * only those beyond it are of the prompt.
 */
export function readUsage(value: unknown): Usage {
  const { billed_units, tokens, cached_tokens: cached } = membersOf(value);
  const billed = membersOf(billed_units);
  const read = membersOf(tokens);
  const input = billed.input_tokens ?? read.input_tokens;
  const template = Math.max(0, (tokenCount(read.input_tokens) ?? 0) - (tokenCount(input) ?? 0));
  const hit = tokenCount(cached);
  const cacheRead = hit === undefined ? undefined : Math.max(0, hit - template);
  const usage: OpenUsage = {};
  addPromptUsage(
    usage,
    { input, cacheRead, cacheWrite: undefined, cacheWrite5m: undefined, cacheWrite1h: undefined },
    'included',
  );
  const output = billed.output_tokens ?? read.output_tokens;
  addCompletionUsage(usage, { output, reasoning: undefined, image: undefined, audio: undefined }, 'included');
  return usage;
}
