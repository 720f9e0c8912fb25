import type { SessionRecord } from '../../../actors/session/session-record.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { endSession, endSessions, openSessions } from '../../management/sessions.ts';
import type { Managing } from '../wire/managing.ts';

/** The browsers that are signed in to the account of a management key: listed, and signed out one by one or all. */
export function sessionRoutes(parts: Managing): readonly Route[] {
  return [
    { method: 'GET', path: '/sessions', policy: 'management', body: 'none', answer: (context) => list(context, parts) },
    {
      method: 'DELETE',
      path: '/sessions',
      policy: 'management',
      body: 'none',
      isNeverShed: true,
      answer: (context) => endAll(context, parts),
    },
    {
      method: 'DELETE',
      path: '/sessions/:id',
      policy: 'management',
      body: 'none',
      isNeverShed: true,
      answer: (context) => end(context, parts),
    },
  ];
}

async function list(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const open = await openSessions(services, tenantOf(context));
  return jsonAnswer(JSON.stringify({ data: open.map(sessionObject) }));
}

async function endAll(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const ended_count = await endSessions(services, tenantOf(context));
  return jsonAnswer(JSON.stringify({ deleted: true, ended_count }));
}

async function end(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  await endSession(services, tenantOf(context), paramOf(context, 'id'));
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
