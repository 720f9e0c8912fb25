import { Type } from 'typebox';
import { objectOf } from '../../dialects/request/members.ts';
import { JSON_BODY } from '../../edge/body/route-body.ts';
import { type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { approvalSchema, approveKey } from '../../management/approvals.ts';
import type { Managing } from '../wire/managing.ts';
import type { Operations } from '../wire/operation.ts';

/**
 * `POST /auth/keys/code`: what `/auth` is for a person, for a management key. It approves a key for an application and
 * answers the one-time code, which the application trades at `POST /auth/keys`. (rule K23, rule K27)
 */
export function authKeysCodeRoute(parts: Managing): Route {
  return {
    method: 'POST',
    path: '/auth/keys/code',
    policy: 'management',
    body: JSON_BODY,
    answer: (context) => approve(context, parts),
  };
}

/** The published schema. */
const codeIssuedSchema = Type.Object({
  data: objectOf('The issued code.', {
    id: Type.String({ description: 'The code; it can be traded once, for ten minutes.' }),
    app_id: Type.Literal(0, { description: 'Always 0: applications are not registered.' }),
    created_at: Type.String({ format: 'date-time', description: 'When the approval was given.' }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'When the code can no longer be traded: ten minutes later.',
    }),
  }),
});

/** What the document says of the routes. */
export const CODE_OPERATIONS: Operations = {
  'POST /auth/keys/code': {
    key: 'management',
    summary: 'Approves a key for an application',
    description: 'Does what the page `/auth` does for a person.',
    answers: 'The one-time code that the application trades at POST /auth/keys.',
    body: { CodeRequest: approvalSchema },
    reply: { CodeIssued: codeIssuedSchema },
  },
};

async function approve(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const issued = await approveKey(services, tenantOf(context), takeBody(context).value);
  const data = {
    id: issued.code,
    app_id: 0,
    created_at: new Date(issued.createdAt).toISOString(),
    expires_at: new Date(issued.expiresAt).toISOString(),
  };
  return { ...jsonAnswer(JSON.stringify({ data })), headers: ['cache-control', 'no-store'] };
}
