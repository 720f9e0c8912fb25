import type { Usage } from '../../terms/usage.ts';

/**
 * The `usage` object as JSON text, put together by hand so that every digit of the cost arrives: no float comes near
 * it. `cost` is exact decimal text; a count nobody reported is absent. The details of the prompt stand there when caching
 * occurred, and then `cached_tokens` is a number: strict clients read it. (spec: inference, Chat completion reply)
 */
export function usageText(usage: Usage, cost: string): string {
  const { promptTokens, completionTokens } = usage;
  let members = '';
  if (promptTokens !== undefined) members += `"prompt_tokens":${promptTokens},`;
  if (completionTokens !== undefined) members += `"completion_tokens":${completionTokens},`;
  if (promptTokens !== undefined && completionTokens !== undefined) {
    members += `"total_tokens":${promptTokens + completionTokens},`;
  }
  return `{${members}${promptDetails(usage)}${completionDetails(usage)}"cost":${numberText(cost)}}`;
}

function promptDetails({ cachedTokens, cacheWriteTokens, cacheWrite1hTokens }: Usage): string {
  const read = cachedTokens ?? 0;
  const written = (cacheWriteTokens ?? 0) + (cacheWrite1hTokens ?? 0);
  if (read === 0 && written === 0) return '';
  const writes = cacheWriteTokens ?? cacheWrite1hTokens;
  const cacheWrite = writes === undefined ? '' : `,"cache_write_tokens":${written}`;
  return `"prompt_tokens_details":{"cached_tokens":${read}${cacheWrite}},`;
}

function completionDetails({ reasoningTokens, imageTokens, audioTokens }: Usage): string {
  if (reasoningTokens === undefined && imageTokens === undefined && audioTokens === undefined) return '';
  const details = { reasoning_tokens: reasoningTokens, image_tokens: imageTokens, audio_tokens: audioTokens };
  return `"completion_tokens_details":${JSON.stringify(details)},`;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function numberText(cost: string): string {
  if (!NUMBER.test(cost)) throw new RangeError('a cost is not the text of a JSON number');
  return cost;
}
