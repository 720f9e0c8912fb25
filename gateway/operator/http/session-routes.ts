import { Type } from 'typebox';
import type { ClusterView } from '../../../actors/runtime/index.ts';
import { JSON_TYPE } from '../../http/write-answer.ts';
import { type Attempt, CALLBACK_PATH, type Oidc } from './oidc.ts';
import {
  isAbsent,
  OperatorFault,
  type OperatorRoute,
  type OperatorTokens,
  operatorRoute,
  PortAnswer,
} from './operator-route.ts';
import { roleOf, withoutCertificate } from './sender.ts';
import { endedAttempt, endedCookie, isOverTls, type OperatorSessions, requireSameOrigin } from './sessions.ts';

export interface SessionParts {
  readonly tokens: OperatorTokens;
  readonly sessions: OperatorSessions;
  /** The organisation's own sign-in; null: tokens alone. */
  readonly oidc: Oidc | null;
  /** The name of the cluster for people, who may have several. */
  readonly clusterName: string;
}

const TOKEN_CHARACTERS_MAX = 256;

/** Signing in with a token, and out. */
export const sessionRoutes = ({ tokens, sessions, clusterName, oidc }: SessionParts): readonly OperatorRoute[] => [
  ...oidcRoutes(oidc, sessions),
  operatorRoute({
    method: 'POST',
    path: '/api/session',
    policy: 'open',
    summary: 'Sign a browser in with a token: the answer sets the cookie of a session of twelve hours.',
    body: Type.Object({ token: Type.String({ maxLength: TOKEN_CHARACTERS_MAX }) }),
    answers: Type.Object({ role: Type.String() }),
    answer: ({ headers, body, mayShowToken }) => {
      requireSameOrigin(headers);
      const role = roleOf(body.token, tokens);
      if (role === null) throw new OperatorFault(401, 'unauthorized', 'this is no token of the cluster', 'token');
      if (!mayShowToken) throw withoutCertificate();
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

const QUERY_CHARACTERS_MAX = 4_096;
const given = Type.Optional(Type.String({ maxLength: QUERY_CHARACTERS_MAX }));
/** Issuers add members of their own, which a client ignores. (RFC 6749, 4.1.2) */
const CALLBACK = Type.Object(
  { code: given, state: given, iss: given, error: given, error_description: given },
  { additionalProperties: true },
);

const oidcRoutes = (oidc: Oidc | null, sessions: OperatorSessions): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/session/ways',
    policy: 'open',
    summary: 'The ways to sign in that this cluster has beside a token.',
    answers: Type.Object({ oidc: Type.Boolean() }),
    answer: () => ({ oidc: oidc !== null }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/session/oidc',
    policy: 'open',
    summary: "Lead the browser to the organisation's own sign-in, if it is configured.",
    answer: async () => {
      if (oidc === null) throw isAbsent('sign-in by OpenID Connect');
      const { url, attempt } = await oidc.begin();
      return redirect(url, [sessions.begin(attempt, oidc.isTls)]);
    },
  }),
  operatorRoute({
    method: 'GET',
    path: CALLBACK_PATH,
    policy: 'open',
    summary: 'Where that sign-in leads back to: opens the session and leads to the console.',
    query: CALLBACK,
    answer: async ({ headers, query }) => {
      if (oidc === null) throw isAbsent('sign-in by OpenID Connect');
      const attempt = sessions.attemptOf<Attempt>(headers);
      if (attempt === null) throw new OperatorFault(403, 'forbidden', 'this browser began no sign-in, or too long ago');
      const { role, name } = await oidc.end(new URLSearchParams(query as Record<string, string>), attempt);
      return redirect('/console/', [sessions.open(role, name, oidc.isTls), endedAttempt()]);
    },
  }),
];

function redirect(location: string, cookies: readonly string[]): PortAnswer {
  const headers = ['location', location, ...cookies.flatMap((cookie) => ['set-cookie', cookie])];
  return new PortAnswer({ status: 303, type: 'text/plain', body: '', headers });
}

function shownNode({ name, operatorUrl, live }: ClusterView['nodes'][number]) {
  return { name, operatorUrl, live };
}

function withCookie(value: object, cookie: string): PortAnswer {
  return new PortAnswer({ type: JSON_TYPE, body: `${JSON.stringify(value)}\n`, headers: ['set-cookie', cookie] });
}
