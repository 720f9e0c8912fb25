import type { Usage } from '../../terms/usage.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import { numberText } from '../reply/usage-text.ts';

/** The usage of a message whose endpoint has reported nothing, such as the first of every stream. */
export const UNREPORTED_USAGE =
  '{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":null,"cache_read_input_tokens":null,"heimdall":{"unreported":["input_tokens","output_tokens"]}}';

/**
 * The `usage` object as JSON text, with every digit of the cost. Both counts are always present: one that was not
 * reported is 0 and named. `input_tokens` leave out what was read from and written to a cache. `null`: no charge is
 * recorded, so nothing counts as reported. (rule I74, rule I75)
 */
export function usageText(closing: Closing | null): string {
  if (closing === null) return UNREPORTED_USAGE;
  const { usage, cost } = closing;
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  const written = sum(cacheWriteTokens, cacheWrite1hTokens);
  const fresh = promptTokens === undefined ? 0 : promptTokens - (cachedTokens ?? 0) - (written ?? 0);
  const counts = `"input_tokens":${fresh},"output_tokens":${completionTokens ?? 0}`;
  const caches = `"cache_creation_input_tokens":${written ?? null},"cache_read_input_tokens":${cachedTokens ?? null}`;
  return `{${counts},${caches}${details(usage)},"cost":${numberText(cost)}${unreported(usage)}}`;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

function details({ cacheWriteTokens, cacheWrite1hTokens, reasoningTokens }: Usage): string {
  const thought =
    reasoningTokens === undefined ? '' : `,"output_tokens_details":{"thinking_tokens":${reasoningTokens}}`;
  if (cacheWrite1hTokens === undefined) return thought;
  const five = `"ephemeral_5m_input_tokens":${cacheWriteTokens ?? 0}`;
  return `,"cache_creation":{${five},"ephemeral_1h_input_tokens":${cacheWrite1hTokens}}${thought}`;
}

function unreported({ promptTokens, completionTokens }: Usage): string {
  const names = [
    ...(promptTokens === undefined ? ['"input_tokens"'] : []),
    ...(completionTokens === undefined ? ['"output_tokens"'] : []),
  ];
  return names.length === 0 ? '' : `,"heimdall":{"unreported":[${names.join(',')}]}`;
}
