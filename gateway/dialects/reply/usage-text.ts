import type { Usage } from '../../terms/usage.ts';
import type { Closing } from './reply-dialect.ts';

/**
 * The `usage` object as JSON text, concatenated so that every digit of the cost is kept without a float. `cost` is
 * exact decimal text; an unreported count is absent. `prompt_tokens_details` is present when caching occurred, and then
 * `cached_tokens` is a number, since strict clients require it. (rule I46)
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

/** Exact decimal text as a JSON number. */
export function numberText(cost: string): string {
  if (!NUMBER.test(cost)) throw new RangeError('the cost is not a JSON number');
  return cost;
}

/** The settings under their names in a dialect: `pathOf` gives its path for a path of a chat request. */
export function honouredNames(
  honoured: Closing['honoured'],
  pathOf: (path: string) => string | null,
): Closing['honoured'] {
  return Object.fromEntries(Object.entries(honoured).map(([name, held]) => [pathOf(name) ?? name, held]));
}
