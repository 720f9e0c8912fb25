import type { IncomingMessage } from 'node:http';
import type { ClientAddresses } from '../../http/client-addresses.ts';

/** The address under which the browser of a request sees this service. */
export interface Site {
  /** As browsers write it: `https://example.com`, `http://localhost:8080`. */
  readonly origin: string;
  /** The browser speaks TLS, with this service or with a proxy in front of it. */
  readonly isTls: boolean;
  /** The browser keeps `Secure` cookies of this site: it speaks TLS, or the site is on its own machine. */
  readonly isSecure: boolean;
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Reads scheme and host of a request. `X-Forwarded-Proto` and `X-Forwarded-Host` are believed from a trusted proxy only,
 * in the value that the nearest proxy added. The public port itself speaks plain HTTP.
 */
export function siteOf(request: IncomingMessage, clients: ClientAddresses): Site {
  const isProxied = clients.isProxy(request.socket.remoteAddress);
  const forwarded = (name: 'x-forwarded-proto' | 'x-forwarded-host'): string | undefined =>
    isProxied ? lastOf(request.headers[name]) : undefined;
  const isTls = forwarded('x-forwarded-proto')?.toLowerCase() === 'https';
  const scheme = isTls ? 'https' : 'http';
  const host = forwarded('x-forwarded-host') ?? request.headers.host ?? '';
  const { origin, hostname } = parsed(`${scheme}://${host}`);
  return { origin, isTls, isSecure: isTls || LOOPBACK_NAMES.has(hostname) };
}

function lastOf(value: string | readonly string[] | undefined): string | undefined {
  const last = String(value ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return last === '' ? undefined : last;
}

function parsed(text: string): { readonly origin: string; readonly hostname: string } {
  return URL.canParse(text) ? new URL(text) : { origin: 'null', hostname: '' };
}
