import type { ErrorEnvelope } from '../dialects/reply/error-envelope.ts';
import type { RouteAddress } from '../http/http-router.ts';
import type { RouteAnswer } from '../http/write-answer.ts';
import type { RouteBody } from './body/route-body.ts';
import type { RequestContext } from './request-context.ts';

/** Precedes the path of every route of the API. */
export const PREFIX = '/api/v1';

/**
 * What a route requires before its handler runs.
 *
 * - `unguarded`: nothing. Answered while the node is not ready; no budget counts it.
 * - `open`: no credential. A credential that is sent is counted against its own budget.
 * - `key`: an inference key. The request is counted against the key before the handler runs.
 * - `management`: a management key; a key of another kind is answered 403. Counted as `key` is.
 * - `provider`: a key of a provider's account, of its own kind or an inference key; others are answered 403. Counted as
 *   `key` is.
 * - `admit`: an inference key. The admit of a hold counts the request, or its refusal does.
 */
export type RoutePolicy = 'unguarded' | 'open' | 'key' | 'management' | 'provider' | 'admit';

/** One route of the public API, below its prefix. */
export interface Route extends RouteAddress {
  readonly policy: RoutePolicy;
  /** Absent: no body is read. */
  readonly body?: RouteBody;
  /** Takes the offer of a WebSocket. Elsewhere a request that makes one is served as any other. */
  readonly upgrades?: true;
  /** Renders the refusals of a route that is not part of the API; absent: the standard envelope. */
  readonly errorEnvelope?: ErrorEnvelope;
  /** Served however loaded the node is, such as a cancel: it ends work. */
  readonly isNeverShed?: true;
  /** Returns the answer, or null once the handler has written one itself; throws or rejects with a refusal. */
  readonly answer: (context: RequestContext) => RouteAnswer | null | Promise<RouteAnswer | null>;
}

/** A route without its address. */
export type ServedRoute = Omit<Route, 'method' | 'path'>;

/** The route, and the same for HEAD: Node sends the headers of the answer without its body. */
export function withHead<R extends Omit<Route, 'answer'> = Route>(route: R): readonly R[] {
  return [route, { ...route, method: 'HEAD' }];
}
