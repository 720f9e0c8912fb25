/**
 * Sessions of the console: a cookie that names role, person and end, signed with a key that is made of both tokens. No
 * node stores it, every node of the cluster accepts it, and a new token of either role ends all of them.
 */
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { isSameText } from '../../../actors/terms/one-time.ts';
import { OperatorFault, type OperatorTokens, type Role } from './operator-route.ts';

const COOKIE = 'troupe_operator';
/** Of a sign-in under way at another site. */
const ATTEMPT = 'troupe_operator_attempt';
const ATTEMPT_MS = 10 * 60 * 1_000;
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

interface Expiring {
  /** Wall-clock ms. */
  readonly expiresAt: number;
}

interface SessionClock {
  /** Wall-clock ms. */
  now(): number;
}

export class OperatorSessions {
  readonly #key: Buffer;
  readonly #clock: SessionClock;

  constructor({ operator, viewer }: OperatorTokens, clock: SessionClock) {
    this.#key = createHmac('sha256', operator).update(`troupe operator session ${viewer}`).digest();
    this.#clock = clock;
  }

  /** The value of `Set-Cookie` that opens a session. `isTls`: the browser reaches the port over TLS. */
  open(role: Role, name: string, isTls: boolean): string {
    const expiresAt = this.#clock.now() + LIFETIME_MS;
    const value = this.#seal('cookie', { role, name: name.slice(0, NAME_CHARACTERS_MAX), expiresAt });
    return cookieOf(COOKIE, value, { maxAge: LIFETIME_MS / 1_000, secure: isTls });
  }

  /** The cookie of a sign-in that another site ends: it has to come back with a request that this site begins. */
  begin(attempt: object, isTls: boolean): string {
    const value = this.#seal('attempt', { ...attempt, expiresAt: this.#clock.now() + ATTEMPT_MS });
    return cookieOf(ATTEMPT, value, { maxAge: ATTEMPT_MS / 1_000, secure: isTls, sameSite: 'lax' });
  }

  /** What a sign-in of this browser began with; null without one. */
  attemptOf<Attempt>(headers: Pick<IncomingHttpHeaders, 'cookie'>): Attempt | null {
    const opened = this.#unseal('attempt', headers);
    return opened === null ? null : (opened.value as unknown as Attempt);
  }

  /** The session of a request; null without one, and for one that is over or was not signed here. */
  of(headers: Pick<IncomingHttpHeaders, 'cookie'>): OpenSession | null {
    const opened = this.#unseal('cookie', headers);
    if (opened === null) return null;
    return { ...(opened.value as Omit<OpenSession, 'csrf'>), csrf: this.#sign('page', opened.content) };
  }

  #seal<V extends Expiring>(purpose: 'cookie' | 'attempt', value: V): string {
    const content = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${content}.${this.#sign(purpose, content)}`;
  }

  #unseal(purpose: 'cookie' | 'attempt', { cookie }: Pick<IncomingHttpHeaders, 'cookie'>) {
    if (cookie === undefined || cookie.length > HEADER_CHARACTERS_MAX) return null;
    const name = purpose === 'cookie' ? COOKIE : ATTEMPT;
    const [content = '', signature = ''] = parseCookie(cookie)[name]?.split('.') ?? [];
    if (!isSameText(signature, this.#sign(purpose, content))) return null;
    const value = JSON.parse(Buffer.from(content, 'base64url').toString('utf8')) as Expiring;
    return value.expiresAt > this.#clock.now() ? { value, content } : null;
  }

  #sign(purpose: 'cookie' | 'attempt' | 'page', content: string): string {
    return createHmac('sha256', this.#key).update(`${purpose} ${content}`).digest('base64url');
  }
}

/** The value of `Set-Cookie` that makes the browser drop the session's cookie. */
export function endedCookie(): string {
  return cookieOf(COOKIE, '', { maxAge: 0, secure: false });
}

/** The same for the cookie of a sign-in that has ended. */
export function endedAttempt(): string {
  return cookieOf(ATTEMPT, '', { maxAge: 0, secure: false, sameSite: 'lax' });
}

interface CookieOptions {
  readonly maxAge: number;
  readonly secure: boolean;
  /** Absent: strict. */
  readonly sameSite?: 'lax';
}

function cookieOf(name: string, value: string, options: CookieOptions): string {
  return stringifySetCookie({ name, value, sameSite: 'strict', ...options, path: '/', httpOnly: true });
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
