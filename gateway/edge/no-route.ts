import type { HttpRouter } from '../http/http-router.ts';
import { GatewayError, notFound } from '../terms/gateway-error.ts';
import type { RequestContext } from './request-context.ts';
import { PREFIX, type Route, type ServedRoute } from './route.ts';

/** Of a path that a message names. */
const PATH_CHARACTERS_MAX = 200;
/** What clients put before the path of a route: the parts of our base address, in any number. */
const BASES = /^(?:\/(?:api|v1)(?![^/]))*/;

/**
 * The refusal of a request without a route: 405 where its path has other methods, else 404. It takes the order of every
 * request. (rule E4)
 */
export function noRoute(context: RequestContext, router: HttpRouter<Route>): ServedRoute {
  const { method = '', url = '/' } = context.request;
  const [path = '/'] = url.split('?', 1);
  const allowed = router.methodsOf(path);
  const [other] = allowed;
  const envelope = (other === undefined ? firstPage(context, router) : router.find(other, path))?.route.errorEnvelope;
  if (envelope !== undefined) context.errorEnvelope = envelope;
  const answer = (): never => {
    throw other === undefined ? noSuchRoute(method, path, router) : wrongMethod(method, path, allowed);
  };
  return { policy: 'open', answer };
}

/** Whose refusals a browser reads that was led to an address without a route; null for any other client. */
function firstPage({ request }: RequestContext, router: HttpRouter<Route>): ReturnType<typeof router.find> {
  return request.headers.accept?.includes('text/html') ? router.find('GET', '/') : null;
}

function wrongMethod(method: string, path: string, allowed: readonly string[]): GatewayError {
  const message = `${method} is no method of ${shown(path)}; it takes ${allowed.join(' or ')}`;
  const headers = { allow: allowed.join(', ') };
  return new GatewayError({ status: 405, type: 'invalid_request', message, headers });
}

/** Names the method and the path, without the query. */
function noSuchRoute(method: string, path: string, router: HttpRouter<Route>): GatewayError {
  return notFound(`No route for ${method} ${shown(path)}${adviceOf(path, router)}`);
}

/** For a client with another base address: where the API begins, and the path that the request may have meant. */
function adviceOf(path: string, router: HttpRouter<Route>): string {
  const rest = path.replace(BASES, '');
  const meant = PREFIX + rest;
  const isBelow = `${path}/`.startsWith(`${PREFIX}/`);
  if (isBelow && meant === path) return '';
  if (rest.length <= 1 || router.methodsOf(meant).length === 0) return isBelow ? '' : `; the API begins at ${PREFIX}`;
  const suggestion = `; did you mean ${shown(meant)}?`;
  if (!isBelow) return `${suggestion} The API begins at ${PREFIX}`;
  return `${suggestion} The base address is doubled: it ends in /api for a client that adds /v1 itself, else in ${PREFIX}`;
}

function shown(path: string): string {
  return path.slice(0, PATH_CHARACTERS_MAX);
}
