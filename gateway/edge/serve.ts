import type { HttpRouter } from '../http/http-router.ts';
import type { LargeAnswers } from '../http/large-answers.ts';
import type { RouteAnswer } from '../http/write-answer.ts';
import { writeAnswer } from '../http/write-answer.ts';
import type { RequestBodies } from './body/request-bodies.ts';
import { allowOrigin } from './cors.ts';
import { generationHeaders } from './generation-headers.ts';
import { noRoute } from './no-route.ts';
import { refuse } from './refuse.ts';
import type { RequestAdmission } from './request-admission.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestReports } from './request-reports.ts';
import type { Route, ServedRoute } from './route.ts';

/** What the steps before and after a handler need. */
export interface ServeParts {
  readonly admission: RequestAdmission;
  readonly bodies: RequestBodies;
  readonly largeAnswers: LargeAnswers;
  readonly reports: RequestReports;
  /** Origins whose pages may call the API. */
  readonly corsOrigins: readonly string[];
}

/**
 * Answers one request. Every request takes this order: shed, credential and its budgets, body, place, window, handler,
 * and on a failure the refusal. Queue and window are looked at before the body and taken from after it, so that an
 * upload neither arrives in vain nor occupies them; a file that the handler reads as it arrives begins after them.
 * Never rejects. Steps that complete at once create no promise. (rule E46, rule E14)
 */
export function serve(context: RequestContext, router: HttpRouter<Route>, edge: ServeParts): Promise<void> {
  const { corsOrigins } = edge;
  if (corsOrigins.length > 0 && allowOrigin(context, corsOrigins)) return Promise.resolve();
  return serveRoute(context, routeOf(context, router), edge);
}

/** The same for a request whose route is known, such as a frame of a WebSocket. */
export async function serveRoute(context: RequestContext, route: ServedRoute, edge: ServeParts): Promise<void> {
  const { admission, bodies, reports } = edge;
  const { body } = route;
  reports.begin(context);
  try {
    const entering = admission.enter(context, route);
    if (entering !== null) await entering;
    if (body !== undefined && body.type !== 'upload') {
      admission.check(context, route);
      context.body = await bodies.read(context, body);
    }
    const taking = admission.take(context, route);
    if (taking !== null) await taking;
    if (body?.type === 'upload') {
      // The handler waits for its client.
      context.place?.leave();
      context.body = await bodies.read(context, body);
    }
    const answer = await route.answer(context);
    if (answer !== null) write(context, answer, edge);
  } catch (thrown) {
    await refuse(thrown, context, edge);
  } finally {
    if (context.body?.type === 'upload') context.body.close();
    admission.end(context);
    reports.ended(context);
  }
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

function write({ response, id }: RequestContext, answer: RouteAnswer, { largeAnswers }: ServeParts): void {
  const { status = 200, type, body, headers: more = [] } = answer;
  const headers = generationHeaders(answer.id ?? id);
  headers.push('content-type', type, ...more);
  if (status === 200 && typeof body !== 'string') largeAnswers.writeShared(response, headers, body);
  else writeAnswer(response, status, headers, body);
}
