import type { Downloading } from '../edge/downloads/write-download.ts';
import type { Route } from '../edge/route.ts';
import type { AnswerParts } from '../edge/turns/answer-parts.ts';
import type { FileRoom } from '../files/file-services.ts';
import type { ClientAddresses } from '../http/client-addresses.ts';
import { jsonAnswer } from '../http/write-answer.ts';
import type { SubmittingServices } from '../jobs/video/submit-video.ts';
import type { ManagementServices } from '../management/services.ts';
import type { Workspaces } from '../routing/workspaces.ts';
import type { ClusterConfig } from '../terms/config/config.ts';
import type { ServingState } from '../terms/serving-state.ts';
import { AUDIT_OPERATIONS, auditRoute } from './audit/audit-route.ts';
import { AUTH_OPERATIONS, authKeysRoute } from './auth/auth-keys.ts';
import { authKeysCodeRoute, CODE_OPERATIONS } from './auth/auth-keys-code.ts';
import { BATCH_OPERATIONS, batchRoutes } from './batches/batch-routes.ts';
import { CATALOGUE_OPERATIONS } from './catalogue/catalogue-operations.ts';
import { catalogueRoutes } from './catalogue/catalogue-routes.ts';
import { PreparedAnswers } from './catalogue/prepared-answers.ts';
import { DEPOSIT_OPERATIONS, depositRoutes } from './deposits/deposit-routes.ts';
import { PAYMENT_OPERATIONS } from './deposits/pay-x402.ts';
import { EVENT_OPERATIONS, type EventParts, eventRoute } from './events/follow-events.ts';
import { FILE_OPERATIONS, fileRoutes } from './files/file-routes.ts';
import { GENERATION_OPERATIONS, generationRoute } from './generations/generation.ts';
import { HEALTH_OPERATIONS, healthRoutes } from './health.ts';
import { keyRoute, OWN_KEY_OPERATIONS } from './keys/key.ts';
import { KEY_OPERATIONS, keyRoutes } from './keys/key-routes.ts';
import { ACTIVITY_OPERATIONS, activityRoute } from './money/activity.ts';
import { CREDITS_OPERATIONS, creditsRoute, lowBalanceRoute, retiredPurchaseRoute } from './money/credits.ts';
import { STATEMENT_OPERATIONS, statementRoutes } from './money/statements.ts';
import { PROVIDER_OPERATIONS } from './provider/provider-operations.ts';
import type { ProviderParts } from './provider/provider-parts.ts';
import { providerRoutes } from './provider/provider-routes.ts';
import { SESSION_OPERATIONS, sessionRoutes } from './sessions/session-routes.ts';
import { COUNT_OPERATIONS, countTokensRoute } from './turns/count-tokens.ts';
import { TURN_OPERATIONS, turnRoutes } from './turns/turn-routes.ts';
import { VIDEO_MODEL_OPERATIONS, videoModelsRoute } from './videos/video-models.ts';
import { submitVideoRoute, VIDEO_OPERATIONS, videoRoutes } from './videos/video-routes.ts';
import { WEBHOOK_OPERATIONS, webhookRoutes } from './webhooks/webhook-routes.ts';
import { managing } from './wire/managing.ts';
import { openApiDocument } from './wire/openapi-document.ts';
import { anyDocument, type Operations } from './wire/operation.ts';
import { WORKSPACE_OPERATIONS, workspaceRoutes } from './workspaces/workspace-routes.ts';

/** What the document says of every route, in its order. A test fails for a route without a row. */
export const OPERATIONS: Operations = {
  ...HEALTH_OPERATIONS,
  'GET /openapi.json': {
    summary: 'This document',
    description: 'Lists exactly the routes that exist, with the schemas that validate requests.',
    answers: 'The API as an OpenAPI 3.1 document.',
    reply: anyDocument,
  },
  ...TURN_OPERATIONS,
  ...COUNT_OPERATIONS,
  ...GENERATION_OPERATIONS,
  ...FILE_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...AUTH_OPERATIONS,
  ...OWN_KEY_OPERATIONS,
  ...KEY_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...CODE_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...CREDITS_OPERATIONS,
  ...DEPOSIT_OPERATIONS,
  ...PAYMENT_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...STATEMENT_OPERATIONS,
  ...CATALOGUE_OPERATIONS,
  ...VIDEO_MODEL_OPERATIONS,
  ...VIDEO_OPERATIONS,
};

/** What the routes of the API take of their node. */
export interface ApiParts {
  readonly services: ManagementServices;
  readonly answering: AnswerParts;
  readonly downloads: Downloading;
  readonly fileRoom: FileRoom;
  readonly workspaces: Workspaces;
  readonly submitting: SubmittingServices;
  readonly events: EventParts;
  readonly clients: ClientAddresses;
  readonly config: ClusterConfig;
  readonly readiness: () => ServingState;
  readonly refreshModels: ProviderParts['refreshModels'];
}

/**
 * Every route of the public API, below its prefix. The published OpenAPI document lists the same routes. `sockets`: those
 * that are a WebSocket.
 */
export function apiRoutes(parts: ApiParts, sockets: readonly Route[]): readonly Route[] {
  const { services, answering, downloads, events, clients, config, readiness, refreshModels } = parts;
  const { cluster, pepper, askMs } = services;
  const { fileRoom, workspaces, submitting } = parts;
  const { clock } = events;
  const { secretOverlapMs } = config.webhooks;
  const account = managing(services, clients);
  const preparedAnswers = new PreparedAnswers();
  const routes: Route[] = [
    ...healthRoutes({ readiness, clock }),
    ...turnRoutes(answering),
    countTokensRoute({ cluster, clock }),
    ...sockets,
    ...fileRoutes(downloads),
    eventRoute(events),
    ...batchRoutes({ ...downloads, cluster, askMs, fileRoom, config, pepper }),
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
    submitVideoRoute({ submitting, config, pepper }),
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
    const registered = new Set(
      routes.map(({ method, path }) => `${method} ${path === '' ? '/' : path.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
    const served = Object.entries(OPERATIONS).filter(([route]) => registered.has(route));
    return Buffer.from(JSON.stringify(openApiDocument(Object.fromEntries(served))));
  };
  return {
    method: 'GET',
    path: '/openapi.json',
    policy: 'open',
    answer: () => {
      bytes ??= render();
      return jsonAnswer(bytes);
    },
  };
}
