/**
 * Reads what an application asks a person for: a key, delivered as a one-time code to its callback. An address that
 * could lead a code, or a person, anywhere else than it says is refused. (rule K26, rule K29)
 */
import { parseUsd } from '../../actors/terms/usd.ts';
import { notAmount } from './input.ts';

/**
 * How the code reaches the application. `return`: the browser goes to the callback. `local`: the callback is on the
 * person's own machine, the page shows the code and a link to it. `manual`: the page shows the code alone.
 */
type DeliveryMode = 'return' | 'local' | 'manual';

export interface GrantRequest {
  /** As sent: the code is appended to exactly this address. */
  readonly callback: string;
  /** Its scheme, host and port as the URL parser writes them, in ASCII. */
  readonly origin: string;
  readonly host: string;
  /** S256 challenge, base64url. */
  readonly challenge: string;
  /** Exact decimal USD; null is no limit. */
  readonly limit: string | null;
  readonly mode: DeliveryMode;
}

/** Names of the parameters, in the query of the page and in its form. */
const GRANT_PARAMETERS = [
  ...(['callback_url', 'code_challenge', 'code_challenge_method', 'limit', 'response_mode'] as const),
] as const;
type Parameter = (typeof GRANT_PARAMETERS)[number];

/** A parameter's value; null where it is absent, and `repeated` where there are several. */
type ParameterOf = (name: Parameter) => string | null | typeof REPEATED;
export const REPEATED = Symbol('repeated');

const CALLBACK_CHARACTERS_MAX = 2_048;
/** Printable ASCII without blanks and backslashes: browsers and servers disagree about everything else. */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/;
const AUTHORITY = /^(https?):\/\/([^/?#]+)/i;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const LIMIT_CHARACTERS_MAX = 64;

/** The request, or the sentence that tells its reader what is wrong with it. */
export function parseGrant(parameterOf: ParameterOf): GrantRequest | { readonly problem: string } {
  const values: Partial<Record<Parameter, string>> = {};
  for (const name of GRANT_PARAMETERS) {
    const value = parameterOf(name);
    if (value === REPEATED) return { problem: `${name} is given more than once` };
    if (value !== null) values[name] = value;
  }
  const { callback_url: callback, code_challenge: challenge, limit, response_mode: mode } = values;
  if (callback === undefined) return { problem: 'callback_url is missing' };
  const parsed = parseCallback(callback);
  if (parsed === null) {
    return { problem: 'callback_url must be an https address, or http on localhost, without user name and fragment' };
  }
  if (challenge === undefined || !CHALLENGE.test(challenge)) {
    return { problem: 'code_challenge must be the SHA-256 of the verifier in base64url, 43 characters' };
  }
  if ((values.code_challenge_method ?? 'S256') !== 'S256') return { problem: 'code_challenge_method must be S256' };
  const exact = limit === undefined ? null : exactLimit(limit);
  if (exact === null && limit !== undefined) return { problem: notAmount('limit') };
  if (mode !== undefined && mode !== 'manual') return { problem: 'response_mode must be manual or absent' };
  const { hostname, host, origin } = parsed;
  const delivery = mode ?? (LOOPBACK.has(hostname) ? 'local' : 'return');
  return { callback, origin, host, challenge, limit: exact, mode: delivery };
}

function exactLimit(text: string): string | null {
  return text.length <= LIMIT_CHARACTERS_MAX ? parseUsd(text) : null;
}

/**
 * The callback's parts; null for an address that is refused. Its host must be written as the parser writes it, so that
 * no other spelling (an encoded letter, another number format, a letter of another script) hides where it leads.
 */
function parseCallback(text: string): URL | null {
  if (text.length > CALLBACK_CHARACTERS_MAX || !PLAIN.test(text) || text.includes('#')) return null;
  const [, scheme = '', authority = ''] = AUTHORITY.exec(text) ?? [];
  if (authority === '' || !URL.canParse(text)) return null;
  const url = new URL(text);
  const usual = url.protocol === 'https:' ? ':443' : ':80';
  const spelled = authority.toLowerCase();
  if (url.username !== '' || url.password !== '' || (spelled !== url.host && spelled !== `${url.host}${usual}`))
    return null;
  if (url.hostname.endsWith('.')) return null;
  return scheme.toLowerCase() === 'https' || LOOPBACK.has(url.hostname) ? url : null;
}

/** The callback with one more parameter; what its query has is kept. */
export function withParameter(callback: string, name: 'code' | 'error', value: string): string {
  const joint = callback.includes('?') ? (/[?&]$/.test(callback) ? '' : '&') : '?';
  return `${callback}${joint}${name}=${encodeURIComponent(value)}`;
}
