import type { TurnEvent } from '../../terms/turn-event.ts';
import { ProviderFailure } from '../provider-failure.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Adds the event of a `logprobs` member unless it is empty. Keeps only the members of a score that the dialect names:
 * deeper nesting could not be serialised again and would break off a paid answer. (rule I136)
 */
export function readScores(logprobs: unknown, events: TurnEvent[]): void {
  if (typeof logprobs !== 'object' || logprobs === null)
    throw new ProviderFailure('garbage', 'logprobs is not an object');
  const content = scoresOf((logprobs as Members).content);
  const refusal = scoresOf((logprobs as Members).refusal);
  if (content.length === 0 && refusal.length === 0) return;
  events.push({
    type: 'logprobs',
    ...(content.length === 0 ? {} : { content }),
    ...(refusal.length === 0 ? {} : { refusal }),
  });
}

function scoresOf(list: unknown): readonly object[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((entry) => {
    const { top_logprobs: top } = entry;
    return Array.isArray(top) ? { ...scoreOf(entry), top_logprobs: top.filter(isObject).map(scoreOf) } : scoreOf(entry);
  });
}

function scoreOf({ token, logprob, bytes }: Members): object {
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof logprob === 'number' ? { logprob } : {}),
    ...(isBytes(bytes) ? { bytes } : {}),
  };
}

function isBytes(bytes: unknown): boolean {
  return bytes === null || (Array.isArray(bytes) && bytes.every((byte) => typeof byte === 'number'));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
