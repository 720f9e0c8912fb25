import { completionRequest } from './request-schema.ts';

/** A path of a chat request in a request of this dialect; null where it has none. */
export function pathOf(path: string): string | null {
  if (path.startsWith('messages')) return 'prompt';
  if (path === 'top_logprobs') return 'logprobs';
  return Object.hasOwn(completionRequest.properties, path) ? path : null;
}
