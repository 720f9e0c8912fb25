import type { CacheTime } from '../../terms/turn.ts';

/** The mark of a block for the provider's cache; five minutes are the dialect's default. */
export function cacheControl(cacheFor: CacheTime): object {
  return cacheFor === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

/** The mark as a member with its leading comma; empty without one. */
export function cacheText(cacheFor: CacheTime | undefined): string {
  return cacheFor === undefined ? '' : `,"cache_control":${JSON.stringify(cacheControl(cacheFor))}`;
}
