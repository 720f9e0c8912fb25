import { type Static, Type } from 'typebox';
import { localId } from '../../../actors/terms/one-time.ts';
import { LABEL_CHARACTERS_MAX, maybe, named, oneOf } from '../../dialects/request/members.ts';
import { parseGrant } from '../../edge/auth/grant-request.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { invalid } from '../../terms/invalid.ts';
import { amountSchema, checker } from '../keys/key-schema.ts';
import { amountOf, expiryOf, namedWorkspace } from '../keys/provision.ts';
import { tenantOf } from '../keys/tenant.ts';
import { issueApproval } from './issue-approval.ts';

const NAME_CHARACTERS_MAX = 100;

/**
 * `POST /auth/keys/code`: what `/auth` is for a person, for a management key. It approves a key for an application and
 * answers the one-time code, which the application trades at `POST /auth/keys`. (rule K23, rule K27)
 */
export const authKeysCodeRoute: Route = {
  ...{ method: 'POST', path: '/auth/keys/code', policy: 'management', body: 'json' },
  answer: approve,
};

/** The published schemas. */
export const codeRequestSchema = Type.Object({
  callback_url: Type.String({ description: 'Of the application: https, or http on localhost.' }),
  code_challenge: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'SHA-256 of the verifier, base64url.' }),
  code_challenge_method: maybe(Type.Literal('S256')),
  limit: Type.Optional(Type.Union([amountSchema, Type.Null()])),
  usage_limit_type: maybe(oneOf('daily', 'weekly', 'monthly')),
  expires_at: Type.Optional(Type.Union([Type.String({ maxLength: 64, description: 'ISO 8601 in UTC.' }), Type.Null()])),
  key_label: maybe(named(NAME_CHARACTERS_MAX)),
  workspace_id: maybe(named(LABEL_CHARACTERS_MAX)),
});
export const codeIssuedSchema = Type.Object({
  data: Type.Object({
    id: Type.String({ description: 'The code; it can be traded once, for ten minutes.' }),
    app_id: Type.Literal(0),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
  }),
});

type CodeRequest = Static<typeof codeRequestSchema>;
const requestBody = checker(codeRequestSchema);

async function approve(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { services } = edge;
  const body = requestBody(takeBody(context).value);
  const tenant = tenantOf(context, edge);
  const now = services.cluster.now();
  const limit = amountOf('limit', body.limit ?? null);
  const expiresAt = expiryOf(body.expires_at ?? null, now);
  const workspace = body.workspace_id ? await namedWorkspace(services, tenant.account, body.workspace_id) : null;
  const approval = {
    ...{ ...callbackOf(body), limit },
    ...(body.key_label ? { name: body.key_label } : {}),
    ...(body.usage_limit_type ? { limitWindow: body.usage_limit_type } : {}),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(workspace === null ? {} : { workspace }),
  };
  const issued = await issueApproval(services, tenant, { grant: localId(services.random), approval });
  const [created_at, expires_at] = [new Date(now).toISOString(), new Date(issued.expiresAt).toISOString()];
  const data = { id: issued.code, app_id: 0, created_at, expires_at };
  return { ...jsonAnswer(JSON.stringify({ data })), headers: ['cache-control', 'no-store'] };
}

/** By the rules of the page. Throws 400. */
function callbackOf(body: CodeRequest): { readonly challenge: string; readonly origin: string } {
  const known: Partial<Record<string, string | null | undefined>> = {
    callback_url: body.callback_url,
    code_challenge: body.code_challenge,
    code_challenge_method: body.code_challenge_method,
  };
  const request = parseGrant((name) => known[name] ?? null);
  if ('problem' in request) throw invalid(request.problem);
  return { challenge: request.challenge, origin: request.origin };
}
