import { Type } from 'typebox';
import type { SessionRecord } from '../../../actors/session/session-record.ts';
import { described, objectOf, oneOf, orNull } from '../../dialects/request/members.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { endSession, endSessions, openSessions } from '../../management/sessions.ts';
import { deletedSchema } from '../keys/key-schema.ts';
import type { Managing } from '../wire/managing.ts';
import type { Operations } from '../wire/operation.ts';

/** The browsers that are signed in to the account of a management key: listed, and signed out one by one or all. */
export function sessionRoutes(parts: Managing): readonly Route[] {
  return [
    { method: 'GET', path: '/sessions', policy: 'management', answer: (context) => list(context, parts) },
    {
      method: 'DELETE',
      path: '/sessions',
      policy: 'management',
      isNeverShed: true,
      answer: (context) => endAll(context, parts),
    },
    {
      method: 'DELETE',
      path: '/sessions/:id',
      policy: 'management',
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
    id: session.slice(session.indexOf('/') + 1),
    object: 'session',
    agent,
    opened_by: { kind: by.kind, id: by.id, address: by.address ?? null },
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

const instant = Type.String({ format: 'date-time' });

/** The published schema of `GET /sessions`. */
const sessionListSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({
        pattern: '^ses_[0-9a-f]{32}$',
        description: 'Id of the session, which DELETE /sessions/{id} takes.',
      }),
      object: Type.Literal('session', { description: 'Always `session`.' }),
      agent: Type.String({ description: "The browser's description of itself." }),
      opened_by: objectOf('What the sign-in was made with.', {
        kind: described(oneOf('key', 'operator'), 'key: the text of an API key. operator: a link of the operator.'),
        id: Type.String({ description: "Address of that key, or the name of the operator's access." }),
        address: orNull(Type.String(), 'Client address of the sign-in; null where it is unknown.'),
      }),
      created_at: described(instant, 'When the browser signed in.'),
      expires_at: described(instant, 'When the session ends by itself.'),
    }),
    { maxItems: 200, description: 'Signed-in browsers, newest first.' },
  ),
});
const sessionsEndedSchema = Type.Object({
  deleted: Type.Literal(true, { description: 'Always true: it is gone.' }),
  ended_count: Type.Integer({ description: 'How many sessions were ended.' }),
});

/** What the document says of the routes. */
export const SESSION_OPERATIONS: Operations = {
  'GET /sessions': {
    key: 'management',
    summary: 'The browsers signed in to the account',
    description: 'With what each signed in, and until when.',
    answers: 'Every open session, newest first.',
    reply: { SessionList: sessionListSchema },
  },
  'DELETE /sessions': {
    key: 'management',
    summary: 'Signs every browser out',
    description: 'Ends every session of the account at once.',
    answers: 'How many sessions were ended.',
    reply: { SessionsEnded: sessionsEndedSchema },
  },
  'DELETE /sessions/{id}': {
    key: 'management',
    summary: 'Signs one browser out',
    description: 'An unknown session is 404.',
    answers: 'The session is ended.',
    path: { id: 'Id of the session, as GET /sessions lists it.' },
    reply: { Deleted: deletedSchema },
  },
};
