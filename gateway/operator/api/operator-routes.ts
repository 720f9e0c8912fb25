/** Every route of the operator port. A subject has a file of its own beside this one. */

import type { Clock } from '../../../actors/runtime/index.ts';
import { consoleRoutes } from '../http/console-files.ts';
import { feedRoute } from '../http/feed.ts';
import type { OperatorRoute } from '../http/operator-route.ts';
import { type SessionParts, sessionRoutes } from '../http/session-routes.ts';
import { type AccountChangeParts, accountChangeRoutes } from './account/changes.ts';
import { exportRoutes } from './account/exports.ts';
import { keyRoutes } from './account/keys.ts';
import { refusedRoutes } from './account/refused.ts';
import { signInRoutes } from './account/sign-ins.ts';
import { workspaceRoutes } from './account/workspaces.ts';
import { accountRoutes } from './accounts.ts';
import { repairRoutes } from './actor/repairs.ts';
import { actorRoutes } from './actors.ts';
import { alarmRoutes } from './alarms.ts';
import { auditRoutes } from './audit.ts';
import { chartRoutes } from './charts.ts';
import { type ConfigurationServices, configurationRoutes } from './configuration.ts';
import { endpointRoutes } from './endpoints.ts';
import { generationRoutes } from './generations.ts';
import { type HistoryServices, historyRoutes } from './history.ts';
import { inflightRoutes } from './inflight.ts';
import { jobRoutes } from './jobs.ts';
import { type ModelServices, modelRoutes } from './models.ts';
import { moneyRoutes } from './money.ts';
import { nodeRoutes } from './nodes.ts';
import { openApiRoute } from './openapi-document.ts';
import { type OverviewServices, overviewRoutes } from './overview.ts';
import { pauseRoutes } from './pauses.ts';
import { providerRecordRoutes } from './provider/provider-records.ts';
import { searchRoutes } from './search.ts';
import { spendRoutes } from './spend.ts';
import { type SqlServices, sqlRoutes } from './sql.ts';
import { type StatusServices, statusRoutes } from './status.ts';
import { oneDeliveryRoutes } from './work/one-delivery.ts';
import { oneJobRoutes } from './work/one-job.ts';

/** What a node offers to its operator port. */
interface OperatorServices
  extends AccountChangeParts,
    ConfigurationServices,
    HistoryServices,
    ModelServices,
    OverviewServices,
    SessionParts,
    SqlServices,
    StatusServices {
  readonly clock: Clock;
}

export function operatorRoutes(services: OperatorServices): readonly OperatorRoute[] {
  const routes = [
    ...statusRoutes(services),
    ...sessionRoutes(services),
    feedRoute(services.clock),
    ...overviewRoutes(services),
    ...alarmRoutes,
    ...nodeRoutes,
    ...chartRoutes,
    ...actorRoutes,
    ...repairRoutes,
    ...searchRoutes,
    ...inflightRoutes,
    ...generationRoutes,
    ...accountRoutes,
    ...accountChangeRoutes(services),
    ...keyRoutes(services),
    ...workspaceRoutes(services),
    ...signInRoutes(services),
    ...exportRoutes,
    ...jobRoutes,
    ...oneJobRoutes,
    ...oneDeliveryRoutes,
    ...moneyRoutes,
    ...auditRoutes,
    ...spendRoutes,
    ...endpointRoutes,
    ...historyRoutes(services),
    ...pauseRoutes,
    ...providerRecordRoutes(services),
    ...modelRoutes(services),
    ...refusedRoutes,
    ...sqlRoutes(services),
    ...configurationRoutes(services),
  ];
  return [...routes, openApiRoute(routes), ...consoleRoutes()];
}
