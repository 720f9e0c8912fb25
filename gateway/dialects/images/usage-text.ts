import type { Closing } from '../reply/reply-dialect.ts';
import { usageText as chatUsageText } from '../reply/usage-text.ts';

/** The member `usage`: that of chat, and its counts under OpenAI's names for images. */
export function usageText({ usage, cost }: Closing): string {
  const { promptTokens: input, completionTokens: output } = usage;
  const names = `${input === undefined ? '' : `"input_tokens":${input},`}${
    output === undefined ? '' : `"output_tokens":${output},`
  }`;
  return `{${names}${chatUsageText(usage, cost).slice(1)}`;
}
