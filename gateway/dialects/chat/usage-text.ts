import type { Usage } from '../../terms/usage.ts';

/**
 * The `usage` object as JSON text, put together by hand so that every digit of the cost arrives: no float comes near
 * it. `cost` is exact decimal text; a count nobody reported is absent. (spec: inference, Chat completion reply)
 */
export function usageText(usage: Usage, cost: string): string {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  let members = '';
  if (promptTokens !== undefined) members += `"prompt_tokens":${promptTokens},`;
  if (completionTokens !== undefined) members += `"completion_tokens":${completionTokens},`;
  if (promptTokens !== undefined && completionTokens !== undefined) {
    members += `"total_tokens":${promptTokens + completionTokens},`;
  }
  if ((cachedTokens ?? 0) > 0 || (cacheWriteTokens ?? 0) > 0) {
    const details = { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens };
    members += `"prompt_tokens_details":${JSON.stringify(details)},`;
  }
  if (reasoningTokens !== undefined) {
    members += `"completion_tokens_details":{"reasoning_tokens":${reasoningTokens}},`;
  }
  return `{${members}"cost":${numberText(cost)}}`;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function numberText(cost: string): string {
  if (!NUMBER.test(cost)) throw new RangeError('a cost is not the text of a JSON number');
  return cost;
}
