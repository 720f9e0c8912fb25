import { Type } from 'typebox';
import type { ClusterView } from '../../../actors/runtime/index.ts';
import { JSON_TYPE } from '../../http/write-answer.ts';
import { OperatorFault, type OperatorRoute, operatorRoute, PortAnswer } from './operator-route.ts';
import { type OperatorTokens, roleOf } from './sender.ts';
import { endedCookie, isOverTls, type OperatorSessions, requireSameOrigin } from './sessions.ts';

export interface SessionParts {
  readonly tokens: OperatorTokens;
  readonly sessions: OperatorSessions;
  /** The name of the cluster for people, who may have several. */
  readonly clusterName: string;
}

const TOKEN_CHARACTERS_MAX = 256;

/** Signing in with a token, and out. */
export const sessionRoutes = ({ tokens, sessions, clusterName }: SessionParts): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'POST',
    path: '/api/session',
    policy: 'open',
    summary: 'Sign a browser in with a token: the answer sets the cookie of a session of twelve hours.',
    body: Type.Object({ token: Type.String({ maxLength: TOKEN_CHARACTERS_MAX }) }),
    answers: Type.Object({ role: Type.String() }),
    answer: ({ headers, body }) => {
      requireSameOrigin(headers);
      const role = roleOf(body.token, tokens);
      if (role === null) throw new OperatorFault(401, 'unauthorized', 'this is no token of the cluster', 'token');
      return withCookie({ role }, sessions.open(role, `${role} token`, isOverTls(headers)));
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/session',
    policy: 'viewer',
    summary: 'Who is signed in, with which role, and what every change of the page must repeat.',
    answer: async ({ headers, cluster, role, principal }) => {
      const session = sessions.of(headers);
      return {
        role,
        name: principal.id,
        node: cluster.self.name,
        cluster: clusterName,
        csrf: session?.csrf ?? null,
        expiresAt: session?.expiresAt ?? null,
        nodes: (await cluster.operator.ps()).nodes.map(shownNode),
      };
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/api/session',
    policy: 'viewer',
    summary: 'Sign the browser out: the answer removes the cookie.',
    answer: () => withCookie({ did: 'signed out' }, endedCookie()),
  }),
];

function shownNode({ name, operatorUrl, live }: ClusterView['nodes'][number]) {
  return { name, operatorUrl, live };
}

function withCookie(value: object, cookie: string): PortAnswer {
  return new PortAnswer({ type: JSON_TYPE, body: `${JSON.stringify(value)}\n`, headers: ['set-cookie', cookie] });
}
