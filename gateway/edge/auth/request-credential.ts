import type { Head } from '../http/head.ts';

/**
 * The credential as sent, before verification. Two different credentials count as unusable: a conflict is never
 * resolved in favour of the valid one. (spec: inference, Authentication 1; reliability, attack 9)
 */
export type RequestCredential =
  | { readonly type: 'none' }
  /** The headers cannot be one key: another scheme, repeated headers, or a conflict. */
  | { readonly type: 'unusable' }
  | { readonly type: 'key'; readonly key: string };

const NONE: RequestCredential = { type: 'none' };
const UNUSABLE: RequestCredential = { type: 'unusable' };
const BEARER = /^bearer +(\S+)$/i;

export function readCredential(head: Head): RequestCredential {
  const { authorizations, apiKeys } = head;
  if (authorizations.length === 0 && apiKeys.length === 0) return NONE;
  if (authorizations.length > 1 || apiKeys.length > 1) return UNUSABLE;
  const [authorization] = authorizations;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined) return UNUSABLE;
  const [apiKey] = apiKeys;
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) return UNUSABLE;
  const key = bearer ?? apiKey;
  return key === undefined || key === '' ? UNUSABLE : { type: 'key', key };
}
