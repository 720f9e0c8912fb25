import { KEY_PREFIX } from '../../../actors/terms/ids.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { NO_VALID_KEY, UNAUTHENTICATED } from '../../../actors/terms/refusal.ts';
import type { Head } from '../../http/head.ts';

/**
 * The credential as sent, before verification. Two different credentials count as unusable: a conflict is never
 * resolved in favour of the valid one. (rule K1)
 */
export type RequestCredential =
  | { readonly type: 'none' }
  /** The headers cannot be one key. */
  | { readonly type: 'unusable'; readonly mistake: Mistake }
  | { readonly type: 'key'; readonly key: string };

type Mistake = 'empty' | 'scheme' | 'several';

const NONE: RequestCredential = { type: 'none' };
const EMPTY: RequestCredential = { type: 'unusable', mistake: 'empty' };
const OTHER_SCHEME: RequestCredential = { type: 'unusable', mistake: 'scheme' };
const SEVERAL: RequestCredential = { type: 'unusable', mistake: 'several' };
const BEARER = /^bearer +(\S+)$/i;
const BARE = /^bearer *$/i;

export function readCredential(head: Head): RequestCredential {
  const { authorizations, apiKeys } = head;
  if (authorizations.length === 0 && apiKeys.length === 0) return NONE;
  if (authorizations.length > 1 || apiKeys.length > 1) return SEVERAL;
  const [authorization] = authorizations;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined) return BARE.test(authorization) ? EMPTY : OTHER_SCHEME;
  const [apiKey] = apiKeys;
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) return SEVERAL;
  const key = bearer ?? apiKey;
  return key === undefined || key === '' ? EMPTY : { type: 'key', key };
}

/**
 * Reads the credentials of one connection's requests. Clients send the same header again and again, so it is compared
 * instead of parsed again. The key stays the same string object, whose hash is cached for every table that looks it up.
 */
export function credentialReader(): (head: Head) => RequestCredential {
  /** The Authorization header of the last request that had no other credential, and the credential parsed from it. */
  let last: string | null = null;
  let credential: RequestCredential = NONE;
  return (head) => {
    const [authorization] = head.authorizations;
    if (authorization === undefined || head.authorizations.length > 1 || head.apiKeys.length > 0) {
      return readCredential(head);
    }
    if (authorization !== last) {
      last = authorization;
      credential = readCredential(head);
    }
    return credential;
  };
}

const HOW_TO_SEND = 'send it as `Authorization: Bearer KEY` or as `x-api-key: KEY`';
const MISTAKES: Readonly<Record<Mistake, string>> = {
  empty: `the header holds no key; ${HOW_TO_SEND}`,
  scheme: 'the Authorization header must be `Bearer KEY`',
  several: 'the headers hold more than one key',
};
/** How keys of other services begin; none of ours does. */
const FOREIGN: readonly string[] = [
  'sk-ant-',
  'sk-or-',
  'sk-proj-',
  'sk-svcacct-',
  'sk-admin-',
  'sk-lf-',
  'gsk_',
  'AIza',
  'hf_',
  'xai-',
  'pplx-',
  'r8_',
  'fw_',
  'nvapi-',
  'tgp_',
  'csk-',
  'ghp_',
  'github_pat_',
];

/**
 * The 401 of a request, in words that name the mistake. They depend on what was sent alone, never on what is stored, so
 * they do not reveal whether a key exists.
 */
export function unauthenticated(credential: RequestCredential): Refusal {
  const words = wordsOf(credential);
  return words === null ? UNAUTHENTICATED : { ...UNAUTHENTICATED, message: `${NO_VALID_KEY}: ${words}` };
}

/** Null for a key of our own form, or of an unknown one. */
function wordsOf(credential: RequestCredential): string | null {
  if (credential.type === 'none') return `no key was sent; ${HOW_TO_SEND}`;
  if (credential.type === 'unusable') return MISTAKES[credential.mistake];
  const prefix = FOREIGN.find((each) => credential.key.startsWith(each));
  if (prefix === undefined) return null;
  return `keys that begin with ${prefix} belong to another service; those of this one begin with ${KEY_PREFIX}`;
}
