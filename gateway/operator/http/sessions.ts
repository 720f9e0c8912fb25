/**
 * Sessions of the console: a cookie that names role, person and end, signed with a key that is made of the operator's
 * token. No node stores it, every node of the cluster accepts it, and a new token ends all of them.
 */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { isSameText } from '../../../actors/terms/one-time.ts';
import { OperatorFault, type Role } from './operator-route.ts';

const COOKIE = 'troupe_operator';
const LIFETIME_MS = 12 * 60 * 60 * 1_000;
/** Of the whole header; a browser sends a handful of short cookies. */
const HEADER_CHARACTERS_MAX = 8 * 1024;
const NAME_CHARACTERS_MAX = 200;
/** The header in which a page of ours repeats the token of its session. */
const CSRF_HEADER = 'x-troupe-csrf';

interface OpenSession {
  readonly role: Role;
  /** Of the person, or of the token that opened the session. */
  readonly name: string;
  /** Wall-clock ms. */
  readonly expiresAt: number;
  /** Sent with every change: a page of another site cannot know it. */
  readonly csrf: string;
}

interface SessionClock {
  /** Wall-clock ms. */
  now(): number;
}

export class OperatorSessions {
  readonly #key: Buffer;
  readonly #clock: SessionClock;

  constructor(operatorToken: string, clock: SessionClock) {
    this.#key = createHmac('sha256', operatorToken).update('troupe operator session').digest();
    this.#clock = clock;
  }

  /** The value of `Set-Cookie` that opens a session. `isTls`: the browser reaches the port over TLS. */
  open(role: Role, name: string, isTls: boolean): string {
    const expiresAt = this.#clock.now() + LIFETIME_MS;
    const text = JSON.stringify({ role, name: name.slice(0, NAME_CHARACTERS_MAX), expiresAt });
    const content = Buffer.from(text).toString('base64url');
    const value = `${content}.${this.#sign('cookie', content)}`;
    return cookieOf(value, { maxAge: LIFETIME_MS / 1_000, secure: isTls });
  }

  /** The session of a request; null without one, and for one that is over or was not signed here. */
  of({ cookie }: Pick<IncomingHttpHeaders, 'cookie'>): OpenSession | null {
    if (cookie === undefined || cookie.length > HEADER_CHARACTERS_MAX) return null;
    const [content = '', signature = ''] = parseCookie(cookie)[COOKIE]?.split('.') ?? [];
    if (!isSameText(signature, this.#sign('cookie', content))) return null;
    const session = JSON.parse(Buffer.from(content, 'base64url').toString('utf8')) as Omit<OpenSession, 'csrf'>;
    if (session.expiresAt <= this.#clock.now()) return null;
    return { ...session, csrf: this.#sign('page', content) };
  }

  #sign(purpose: 'cookie' | 'page', content: string): string {
    return createHmac('sha256', this.#key).update(`${purpose} ${content}`).digest('base64url');
  }
}

/** The value of `Set-Cookie` that makes the browser drop the cookie. */
export function endedCookie(): string {
  return cookieOf('', { maxAge: 0, secure: false });
}

function cookieOf(value: string, { maxAge, secure }: { readonly maxAge: number; readonly secure: boolean }): string {
  return stringifySetCookie({ name: COOKIE, value, maxAge, secure, path: '/', httpOnly: true, sameSite: 'strict' });
}

/** Throws 403 for a change that no page of this session sent. */
export function requireOwnPage(headers: IncomingHttpHeaders, { csrf }: OpenSession): void {
  requireSameOrigin(headers);
  const sent = headers[CSRF_HEADER];
  if (typeof sent !== 'string' || !isSameText(sent, csrf)) {
    throw new OperatorFault(403, 'forbidden', `a change by cookie needs the header ${CSRF_HEADER} of its session`);
  }
}

/**
 * Throws 403 for a request that a page of another origin began. A cookie is sent to every port of a host, so another
 * program on it counts as another site here. What names no origin is no browser.
 */
export function requireSameOrigin({ origin, host, 'sec-fetch-site': fetched }: IncomingHttpHeaders): void {
  const isForeign = origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
  if (isForeign || (fetched !== undefined && fetched !== 'same-origin')) {
    throw new OperatorFault(403, 'forbidden', 'the request was begun by a page of another origin');
  }
}

/** True where the page that sent the request came over TLS. */
export function isOverTls({ origin }: IncomingHttpHeaders): boolean {
  return origin?.startsWith('https://') === true;
}
