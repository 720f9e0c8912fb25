import { generationHeaders } from './generation-headers.ts';
import type { RequestContext } from './request-context.ts';
import { PREFIX } from './route.ts';

/** Seconds for which a browser need not ask again. */
const MAX_AGE_S = 600;
const PREFLIGHT = [
  'access-control-allow-methods',
  'GET, HEAD, POST, PUT, PATCH, DELETE',
  // `*` covers any header but this one, for requests without credentials.
  'access-control-allow-headers',
  '*, authorization',
  'access-control-max-age',
  String(MAX_AGE_S),
];

/**
 * Lets pages of the configured origins call the API: exactly those origins, and never with cookies. True if the request
 * was a preflight, which is answered here. (rule E29)
 */
export function allowOrigin({ id, request, response }: RequestContext, origins: readonly string[]): boolean {
  const { method, url = '', headers } = request;
  if (headers.origin === undefined || !`${url.split('?', 1)[0]}/`.startsWith(`${PREFIX}/`)) return false;
  response.setHeader('vary', 'origin');
  const origin = origins.find((one) => one === headers.origin);
  if (origin === undefined) return false;
  response.setHeader('access-control-allow-origin', origin);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    response.setHeader('access-control-expose-headers', '*');
    return false;
  }
  response.writeHead(204, [...generationHeaders(id), ...PREFLIGHT]).end();
  return true;
}
