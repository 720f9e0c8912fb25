import type { RouteAnswer } from '../../http/write-answer.ts';
import type { Html } from './html.ts';
import type { Site } from './site.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** A year, in seconds. */
const TLS_ONLY_S = 365 * 24 * 60 * 60;

interface PageOptions {
  /** Absent: 200. */
  readonly status?: number;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  /** An origin that a form of this page may lead to by a redirect, beside this site. */
  readonly formOrigin?: string;
}

/** A page as an answer. Nothing of it is kept by a cache, framed by another site, or told to the next one. */
export function pageAnswer(page: Html, site: Site, options: PageOptions = {}): RouteAnswer {
  const { status = 200, formOrigin } = options;
  const headers = [...pageHeaders(formOrigin), ...answerHeaders(site, options)];
  return { status, type: HTML_TYPE, body: `<!doctype html>\n${page}`, headers };
}

/** Leads the browser to another address with GET. */
export function redirectAnswer(location: string, site: Site, options: Omit<PageOptions, 'status'> = {}): RouteAnswer {
  const headers = ['location', location, ...pageHeaders(options.formOrigin), ...answerHeaders(site, options)];
  return { status: 303, type: HTML_TYPE, body: '', headers };
}

/**
 * The headers of every page. Scripts and styles come from files of this site alone, so that injected markup could run
 * nothing. `formOrigin` is an origin as the URL parser wrote it. (rule K34)
 */
export function pageHeaders(formOrigin?: string): string[] {
  const formAction = formOrigin === undefined ? "'self'" : `'self' ${formOrigin}`;
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return [
    'content-security-policy',
    policy,
    'x-frame-options',
    'DENY',
    'referrer-policy',
    'no-referrer',
    'x-content-type-options',
    'nosniff',
    'cross-origin-opener-policy',
    'same-origin',
    'cache-control',
    'no-store',
  ];
}

function answerHeaders(site: Site, { cookies = [] }: PageOptions): string[] {
  const tlsOnly = site.isTls ? ['strict-transport-security', `max-age=${TLS_ONLY_S}`] : [];
  return [...tlsOnly, ...cookies.flatMap((cookie) => ['set-cookie', cookie])];
}
