import type { ClientAddresses } from '../http/client-addresses.ts';
import type { HttpRouter } from '../http/http-router.ts';
import type { LargeAnswers } from '../http/large-answers.ts';
import type { RouteAnswer } from '../http/write-answer.ts';
import { writeAnswer } from '../http/write-answer.ts';
import type { Overload, Work, WorkPlace } from '../overload/overload.ts';
import type { EdgeLimits } from '../terms/config/config.ts';
import { CallerLeft, unavailable } from '../terms/gateway-error.ts';
import type { Measures } from '../terms/measures.ts';
import type { ServingState } from '../terms/serving-state.ts';
import type { Tracing } from '../terms/tracing.ts';
import { type Authentication, type Policy, STRANGERS } from './auth/authentication.ts';
import type { EndpointWindow, Requester } from './auth/endpoint-window.ts';
import { awaitWaking } from './await-waking.ts';
import type { RequestBodies } from './body/request-bodies.ts';
import { allowOrigin } from './cors.ts';
import { generationHeaders } from './generation-headers.ts';
import { noRoute } from './no-route.ts';
import { providerOf } from './provider-of.ts';
import { OVERLOADED, type RefuseParts, refuse } from './refuse.ts';
import type { RequestContext } from './request-context.ts';
import { logRequest, type RequestLogParts } from './request-log.ts';
import type { Route, ServedRoute } from './route.ts';
import type { RunningRequests } from './running-requests.ts';

/** What the steps before and after a handler need. */
export interface ServeParts extends RefuseParts, RequestLogParts {
  readonly measures: Measures;
  readonly limits: EdgeLimits;
  readonly readiness: () => ServingState;
  readonly authentication: Authentication;
  readonly clients: ClientAddresses;
  readonly window: EndpointWindow;
  readonly overload: Overload;
  readonly running: RunningRequests;
  /** Number of requests under way on this node. */
  readonly underWay: () => number;
  readonly bodies: RequestBodies;
  readonly largeAnswers: LargeAnswers;
  /** Null: requests are not traced. */
  readonly tracing: Tracing | null;
}

/**
 * Answers one request. Every request takes this order: shed, credential and its budgets, body, place, window, handler,
 * and on a failure the refusal. Queue and window are looked at before the body and taken from after it, so that an
 * upload neither arrives in vain nor occupies them. Never rejects. Steps that complete at once create no promise.
 * (rule E46, rule E14)
 */
export function serve(context: RequestContext, router: HttpRouter<Route>, edge: ServeParts): Promise<void> {
  const { corsOrigins } = edge.limits;
  if (corsOrigins.length > 0 && allowOrigin(context, corsOrigins)) return Promise.resolve();
  return serveRoute(context, routeOf(context, router), edge);
}

/** The same for a request whose route is known, such as a frame of a WebSocket. */
export async function serveRoute(context: RequestContext, route: ServedRoute, edge: ServeParts): Promise<void> {
  if (edge.tracing) traceRequest(context, edge.tracing);
  const account = edge.authentication.accountOf(context);
  const holder = account ?? edge.clients.of(context.request);
  const mayBegin = edge.running.mayBegin(holder, edge.underWay());
  edge.running.begin(holder);
  try {
    if (route.policy !== 'unguarded') {
      const arriving = arrive(context, route, edge, { account, mayBegin });
      if (arriving !== null) await arriving;
      if (route.policy !== 'open' && route.policy !== 'admit') await countRead(context, edge);
      if (route.policy === 'provider') providerOf(context, edge.cluster);
    }
    const { body } = route;
    const isWhole = body !== undefined && body.type !== 'upload';
    if (isWhole) {
      if (route.policy !== 'unguarded') edge.window.check(requesterOf(context));
      context.body = await edge.bodies.read(context, body);
    }
    if (route.policy !== 'unguarded') {
      const place = takePlace(context, route, edge, requesterOf(context).asker);
      context.place = place instanceof Promise ? await place : place;
      const taken = edge.window.take(requesterOf(context));
      context.taken = taken instanceof Promise ? await taken : taken;
    }
    if (body !== undefined && !isWhole) {
      // The handler waits for its client.
      context.place?.leave();
      context.body = await edge.bodies.read(context, body);
    }
    const answer = await route.answer(context);
    if (answer !== null) write(context, answer, edge);
  } catch (thrown) {
    await refuse(thrown, context, edge);
  } finally {
    if (context.body?.type === 'upload') context.body.close();
    context.place?.leave();
    edge.running.end(holder);
    logRequest(context, edge);
  }
}

/** The span ends with the answer. The path is the route's: nothing that the client wrote. */
function traceRequest(context: RequestContext, tracing: Tracing): void {
  const { traceparent } = context.request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  const span = tracing.begin(context.route ?? 'no route', parent, { 'troupe.generation': context.id });
  context.span = span;
  context.response.once('close', () => {
    const { statusCode } = context.response;
    span.set({ 'http.response.status_code': statusCode });
    span.end(statusCode >= 500 ? `status ${statusCode}` : undefined);
  });
}

function routeOf(context: RequestContext, router: HttpRouter<Route>): ServedRoute {
  const { request } = context;
  const found = router.find(request.method as string, request.url as string);
  if (found === null) return noRoute(context, router);
  context.route = found.name;
  context.params = found.params;
  context.query = found.query;
  if (found.route.errorEnvelope !== undefined) context.errorEnvelope = found.route.errorEnvelope;
  return found.route;
}

/** Throws 503 if this node is overloaded or not serving; else authenticates. */
function arrive(
  context: RequestContext,
  route: ServedRoute,
  edge: ServeParts,
  { account, mayBegin }: { readonly account: string | null; readonly mayBegin: boolean },
): Promise<void> | null {
  const { overload } = edge;
  if (!mayBegin) {
    overload.refused(workOf(route), context.startedAt);
    throw OVERLOADED;
  }
  const readiness = edge.readiness();
  if (readiness === 'waking') return arriveAwake(context, route, edge, account);
  return admit(context, route, edge, { account, readiness });
}

async function arriveAwake(
  context: RequestContext,
  route: ServedRoute,
  edge: ServeParts,
  account: string | null,
): Promise<void> {
  const admitting = admit(context, route, edge, { account, readiness: await awaitWaking(edge) });
  if (admitting !== null) await admitting;
}

function admit(
  context: RequestContext,
  route: ServedRoute,
  edge: ServeParts,
  { account, readiness }: { readonly account: string | null; readonly readiness: ServingState },
): Promise<void> | null {
  const { overload } = edge;
  // A node that drains serves what its open connections still send.
  if (readiness !== 'ready' && readiness !== 'draining') throw unavailable(`the node is ${readiness}`);
  if (account === null) return authenticateStranger(context, route, edge);
  if (route.isNeverShed !== true && !overload.mayDispatch(workOf(route), account)) {
    overload.refused(workOf(route), context.startedAt);
    throw OVERLOADED;
  }
  return authenticate(context, route, edge);
}

/** A request whose key this node does not know holds a place while it is looked up and counted. */
async function authenticateStranger(context: RequestContext, route: ServedRoute, edge: ServeParts): Promise<void> {
  // By address, so that a flood of wrong keys keeps out no valid key that this node has not seen yet.
  const place = await takePlace(context, route, edge, edge.clients.of(context.request));
  try {
    const authenticated = authenticate(context, route, edge);
    if (authenticated !== null) await authenticated;
  } finally {
    place?.leave();
  }
}

/** Throws 503 at once where the queue is full. Null: the route is never shed. */
function takePlace(
  context: RequestContext,
  route: ServedRoute,
  { overload }: ServeParts,
  holder: string,
): WorkPlace | Promise<WorkPlace> | null {
  if (route.isNeverShed === true) return null;
  const given = (place: WorkPlace | null): WorkPlace => {
    if (place === null) {
      overload.refused(workOf(route), context.startedAt);
      // Counting it would be one more ask of an overloaded node.
      context.counted = true;
      throw OVERLOADED;
    }
    // A client that left while its request waited needs no place.
    if (!context.response.destroyed) return place;
    place.leave();
    throw new CallerLeft();
  };
  const place = overload.enter(workOf(route), holder);
  return place instanceof Promise ? place.then(given) : given(place);
}

function workOf({ policy }: ServedRoute): Exclude<Work, 'jobs'> {
  return policy === 'admit' ? 'live' : 'catalogue';
}

function requesterOf({ address, caller }: RequestContext): Requester {
  if (address !== null) return { asker: address, holder: STRANGERS };
  if (caller === null) throw new Error('a request takes from the window after its caller or its address was counted');
  return { asker: caller.account, holder: caller.account };
}

function authenticate(
  context: RequestContext,
  { policy }: Pick<Route, 'policy'>,
  edge: ServeParts,
): Promise<void> | null {
  return edge.authentication.enter(context, requirementOf(policy), context.request);
}

function requirementOf(policy: Route['policy']): Policy {
  return policy === 'admit' || policy === 'unguarded' ? 'key' : policy;
}

/** Counts a request that runs no generation; rejects with the key's 401 or 429. */
async function countRead(context: RequestContext, { authentication }: ServeParts): Promise<void> {
  const refusal = await authentication.count(context);
  if (refusal) throw refusal;
}

function write({ response, id }: RequestContext, answer: RouteAnswer, { largeAnswers }: ServeParts): void {
  const { status = 200, type, body, headers: more = [] } = answer;
  const headers = generationHeaders(answer.id ?? id);
  headers.push('content-type', type, ...more);
  if (status === 200 && typeof body !== 'string') largeAnswers.writeShared(response, headers, body);
  else writeAnswer(response, status, headers, body);
}
