import { awaitWaking } from '../edge/await-waking.ts';
import { type Route, withHead } from '../edge/route.ts';
import { jsonAnswer } from '../http/route-answer.ts';
import { responsesSocketRoute } from '../sockets/responses-socket.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import { auditRoute } from './audit/audit-route.ts';
import { authKeysRoute } from './auth/auth-keys.ts';
import { authKeysCodeRoute } from './auth/auth-keys-code.ts';
import { batchRoutes } from './batches/batch-routes.ts';
import { catalogueRoutes } from './catalogue/catalogue-routes.ts';
import { depositRoutes } from './deposits/deposit-routes.ts';
import { eventRoute } from './events/follow-events.ts';
import { fileRoutes } from './files/file-routes.ts';
import { generationRoute } from './generations/generation.ts';
import { keyRoute } from './keys/key.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { activityRoute } from './money/activity.ts';
import { creditsRoute } from './money/credits.ts';
import { lowBalanceRoute } from './money/low-balance.ts';
import { retiredPurchaseRoute } from './money/retired-purchase.ts';
import { statementRoutes } from './money/statements.ts';
import { openApiDocument } from './openapi/document.ts';
import { OPERATIONS } from './openapi/operations.ts';
import { providerRoutes } from './provider/provider-routes.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { countTokensRoute } from './turns/count-tokens.ts';
import { turnRoutes } from './turns/turn-routes.ts';
import { submitVideoRoute } from './videos/submit-video.ts';
import { videoModelsRoute } from './videos/video-models.ts';
import { videoRoutes } from './videos/video-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { workspaceRoutes } from './workspaces/workspace-routes.ts';

/** Every route of the public API, below its prefix. The published OpenAPI document lists the same routes. */
export function apiRoutes(): readonly Route[] {
  const routes: Route[] = [
    ...aliveAt(''),
    ...aliveAt('/'),
    readyRoute,
    ...turnRoutes,
    countTokensRoute,
    responsesSocketRoute,
    ...fileRoutes,
    eventRoute,
    ...batchRoutes,
    ...webhookRoutes,
    creditsRoute,
    lowBalanceRoute,
    retiredPurchaseRoute,
    activityRoute,
    ...statementRoutes,
    ...depositRoutes,
    generationRoute,
    keyRoute,
    authKeysRoute,
    authKeysCodeRoute,
    ...sessionRoutes,
    ...keyRoutes,
    ...workspaceRoutes,
    auditRoute,
    ...providerRoutes,
    ...catalogueRoutes,
    videoModelsRoute,
    ...videoRoutes,
    submitVideoRoute,
  ];
  routes.push(openApiRoute(routes));
  return routes;
}

const ALIVE = JSON.stringify({ name: 'troupe', status: 'ok' });

/** A liveness read: ignores credentials, and answers while the node is not ready. */
function aliveAt(path: string): readonly Route[] {
  return withHead({ method: 'GET', path, policy: 'unguarded', body: 'none', answer: () => jsonAnswer(ALIVE) });
}

/** For balancers: 200 while the node accepts requests, else 503 with the category of the reason, never its detail. */
const readyRoute: Route = {
  method: 'GET',
  path: '/ready',
  policy: 'unguarded',
  body: 'none',
  answer: async (_context, { services }) => {
    const status = await awaitWaking(services);
    if (status === 'ready') return jsonAnswer(JSON.stringify({ status }));
    throw new GatewayError({
      ...{ status: 503, type: 'provider_overloaded', message: `The node is ${status}` },
      metadata: { reason: status },
      headers: { 'retry-after': '1' },
    });
  },
};

/**
 * `GET /openapi.json`: the given routes, with the schemas that validate and render them. Rendered once, on the first
 * request; routes added to the list before that are included.
 */
export function openApiRoute(routes: readonly Route[]): Route {
  let bytes: Buffer | null = null;
  const render = (): Buffer => {
    const registered = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    const exists = (method: string, path: string): boolean =>
      registered.has(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    return Buffer.from(JSON.stringify(openApiDocument(OPERATIONS.filter(({ method, path }) => exists(method, path)))));
  };
  return {
    method: 'GET',
    path: '/openapi.json',
    policy: 'open',
    body: 'none',
    answer: () => {
      bytes ??= render();
      return jsonAnswer(bytes);
    },
  };
}
