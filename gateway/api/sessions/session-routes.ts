import { AskError } from '../../../actors/runtime/index.ts';
import { closeSession, listSessions } from '../../../actors/session/session.ts';
import type { SessionRecord } from '../../../actors/session/session-record.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import type { EdgeServices } from '../../edge/services.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { notFound } from '../../terms/not-found.ts';
import { type Tenant, tenantOf } from '../keys/tenant.ts';

const SESSION_ID = /^ses_[0-9a-f]{32}$/;

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
  const tenant = tenantOf(context, edge);
  const open = await openSessions(edge.services, tenant);
  for (const { session } of open) await closeSession(edge.services.cluster, session, tenant.by, edge.services.askMs);
  return jsonAnswer(JSON.stringify({ deleted: true, ended_count: open.length }));
}

async function end(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  await endSession(edge.services, tenantOf(context, edge), paramOf(context, 'id'));
  return jsonAnswer(JSON.stringify({ deleted: true }));
}

/** Throws 404 for an id that no session of the account has. */
export async function endSession({ cluster, askMs }: EdgeServices, { account, by }: Tenant, id: string): Promise<void> {
  if (!SESSION_ID.test(id)) throw notFound('No such session');
  await closeSession(cluster, `session:${account}/${id}`, by, askMs).catch((thrown: unknown) => {
    throw thrown instanceof AskError && thrown.failure.code === 'absent' ? notFound('No such session') : thrown;
  });
}

function openSessions({ cluster }: EdgeServices, { account }: Tenant): Promise<readonly SessionRecord[]> {
  return listSessions(cluster.rows, account, cluster.now());
}

function sessionObject({ session, by, agent, createdAt, expiresAt }: SessionRecord): object {
  return {
    ...{ id: session.slice(session.indexOf('/') + 1), object: 'session', agent },
    opened_by: { kind: by.kind, id: by.id, address: by.address ?? null },
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}
