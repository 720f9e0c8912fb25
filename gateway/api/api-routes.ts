import type { RequestBodies } from '../edge/body/request-bodies.ts';
import { UploadRoom } from '../edge/body/upload-room.ts';
import type { Downloading } from '../edge/downloads/write-download.ts';
import type { Route } from '../edge/route.ts';
import type { AnswerParts } from '../edge/turns/answer-parts.ts';
import type { ClientAddresses } from '../http/client-addresses.ts';
import { jsonAnswer } from '../http/write-answer.ts';
import type { ManagementServices } from '../management/services.ts';
import type { EdgeLimits } from '../terms/config/config.ts';
import type { ServingState } from '../terms/serving-state.ts';
import { auditRoute } from './audit/audit-route.ts';
import { authKeysRoute } from './auth/auth-keys.ts';
import { authKeysCodeRoute } from './auth/auth-keys-code.ts';
import { batchRoutes } from './batches/batch-routes.ts';
import { catalogueRoutes } from './catalogue/catalogue-routes.ts';
import { PreparedAnswers } from './catalogue/prepared-answers.ts';
import { depositRoutes } from './deposits/deposit-routes.ts';
import { type EventParts, eventRoute } from './events/follow-events.ts';
import { fileRoutes } from './files/file-routes.ts';
import { generationRoute } from './generations/generation.ts';
import { healthRoutes } from './health.ts';
import { keyRoute } from './keys/key.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { activityRoute } from './money/activity.ts';
import { creditsRoute, lowBalanceRoute, retiredPurchaseRoute } from './money/credits.ts';
import { statementRoutes } from './money/statements.ts';
import { openApiDocument } from './openapi/document.ts';
import { OPERATIONS } from './openapi/operations.ts';
import type { ProviderParts } from './provider/provider-parts.ts';
import { providerRoutes } from './provider/provider-routes.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { countTokensRoute } from './turns/count-tokens.ts';
import { turnRoutes } from './turns/turn-routes.ts';
import { videoModelsRoute } from './videos/video-models.ts';
import { submitVideoRoute, videoRoutes } from './videos/video-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { managing } from './wire/managing.ts';
import { workspaceRoutes } from './workspaces/workspace-routes.ts';

/** What the routes of the API take of their node. */
export interface ApiParts {
  readonly services: ManagementServices;
  readonly answering: AnswerParts;
  readonly bodies: RequestBodies;
  readonly downloads: Downloading;
  readonly events: EventParts;
  readonly clients: ClientAddresses;
  readonly limits: EdgeLimits;
  readonly readiness: () => ServingState;
  readonly refreshModels: ProviderParts['refreshModels'];
}

/**
 * Every route of the public API, below its prefix. The published OpenAPI document lists the same routes. `sockets`: those
 * that are a WebSocket.
 */
export function apiRoutes(parts: ApiParts, sockets: readonly Route[]): readonly Route[] {
  const { services, answering, bodies, downloads, events, clients, limits, readiness, refreshModels } = parts;
  const { cluster, pepper, askMs } = services;
  const { inference } = answering;
  const { clock, config, fileRoom, workspaces } = inference;
  const { secretOverlapMs } = config.webhooks;
  const account = managing(services, clients);
  const preparedAnswers = new PreparedAnswers();
  const routes: Route[] = [
    ...healthRoutes({ readiness, clock }),
    ...turnRoutes(answering),
    countTokensRoute({ cluster, clock }),
    ...sockets,
    ...fileRoutes({ ...downloads, limits, uploads: new UploadRoom(downloads.files.limits) }),
    eventRoute(events),
    ...batchRoutes({ ...downloads, cluster, askMs, bodies, fileRoom, limits, config, pepper }),
    ...webhookRoutes({ ...services, secretOverlapMs }),
    creditsRoute({ cluster, askMs }),
    lowBalanceRoute(account),
    retiredPurchaseRoute,
    activityRoute(services),
    ...statementRoutes(downloads),
    ...depositRoutes({ ...account, clock, deposits: config.deposits }),
    generationRoute(services),
    keyRoute(services),
    authKeysRoute(services),
    authKeysCodeRoute(account),
    ...sessionRoutes(account),
    ...keyRoutes(account),
    ...workspaceRoutes(account),
    auditRoute({ cluster, askMs }),
    ...providerRoutes({ cluster, askMs, refreshModels }),
    ...catalogueRoutes({ cluster, workspaces, preparedAnswers }),
    videoModelsRoute({ cluster, preparedAnswers }),
    ...videoRoutes({ ...downloads, cluster, askMs }),
    submitVideoRoute({ inference, bodies, files: downloads.files, pepper }),
  ];
  routes.push(openApiRoute(routes));
  return routes;
}

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
