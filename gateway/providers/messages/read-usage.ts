import type { Usage } from '../../terms/usage.ts';
import { membersOf } from '../parsed.ts';
import { addCompletionUsage, addPromptUsage, type OpenUsage } from '../prompt-usage.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * The `usage` of a provider that speaks the messages dialect, whose `input_tokens` leave out what was read from and
 * written to a cache. Absent members, of which there may be any, are unreported.
 */
export function readUsage(reported: Members): Usage {
  const creation = membersOf(reported.cache_creation);
  const usage: OpenUsage = {};
  const prompt = {
    input: reported.input_tokens,
    cacheRead: reported.cache_read_input_tokens,
    cacheWrite: reported.cache_creation_input_tokens,
    cacheWrite5m: creation.ephemeral_5m_input_tokens,
    cacheWrite1h: creation.ephemeral_1h_input_tokens,
  };
  const reasoning = membersOf(reported.output_tokens_details).thinking_tokens;
  addPromptUsage(usage, prompt, 'excluded');
  addCompletionUsage(usage, { output: reported.output_tokens, reasoning, image: null, audio: null }, 'included');
  return usage;
}
