import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';

/** The prefix makes browsers refuse the cookie without `Secure`, with a domain, or with another path. */
export const SESSION_COOKIE = '__Host-troupe-session';

const SECRET = /^[0-9a-f]{64}$/;
/** Of the whole header; a browser sends a handful of short cookies. */
const HEADER_CHARACTERS_MAX = 8 * 1024;

/** The secret of the session that a browser sends; null without one, and for text of another shape. */
export function sessionSecretOf({ cookie }: Pick<IncomingHttpHeaders, 'cookie'>): string | null {
  if (cookie === undefined || cookie.length > HEADER_CHARACTERS_MAX) return null;
  const secret = parseCookie(cookie)[SESSION_COOKIE];
  return secret !== undefined && SECRET.test(secret) ? secret : null;
}

/**
 * The cookie that opens a session. Scripts cannot read it, and the browser sends it with no request that another site
 * has begun. (rule K36)
 */
export function sessionCookie(secret: string, lifetimeMs: number): string {
  return stringifySetCookie({
    name: SESSION_COOKIE,
    value: secret,
    maxAge: Math.floor(lifetimeMs / 1_000),
    ...ATTRIBUTES,
  });
}

/** The cookie that makes the browser drop the session's. */
export function endedCookie(): string {
  return stringifySetCookie({ name: SESSION_COOKIE, value: '', maxAge: 0, ...ATTRIBUTES });
}

const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;
