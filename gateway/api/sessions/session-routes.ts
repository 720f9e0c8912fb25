import type { SessionRecord } from '../../../actors/session/session-record.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { endSession, endSessions, openSessions } from '../../management/sessions.ts';
import { tenantOf } from '../keys/tenant.ts';

/** The browsers that are signed in to the account of a management key: listed, and signed out one by one or all. */
export const sessionRoutes: readonly Route[] = [
  { method: 'GET', path: '/sessions', policy: 'management', body: 'none', answer: list },
  { method: 'DELETE', path: '/sessions', policy: 'management', body: 'none', isNeverShed: true, answer: endAll },
  { method: 'DELETE', path: '/sessions/:id', policy: 'management', body: 'none', isNeverShed: true, answer: end },
];

async function list(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const open = await openSessions(edge.services, tenantOf(context, edge));
  return jsonAnswer(JSON.stringify({ data: open.map(sessionObject) }));
}

async function endAll(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const ended_count = await endSessions(edge.services, tenantOf(context, edge));
  return jsonAnswer(JSON.stringify({ deleted: true, ended_count }));
}

async function end(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  await endSession(edge.services, tenantOf(context, edge), paramOf(context, 'id'));
  return jsonAnswer(JSON.stringify({ deleted: true }));
}

function sessionObject({ session, by, agent, createdAt, expiresAt }: SessionRecord): object {
  return {
    ...{ id: session.slice(session.indexOf('/') + 1), object: 'session', agent },
    opened_by: { kind: by.kind, id: by.id, address: by.address ?? null },
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}
