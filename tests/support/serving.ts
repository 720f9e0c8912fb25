import { type Clock, systemClock } from '../../actors/runtime/index.ts';
import config from '../../cluster.config.ts';
import type { Authentication } from '../../gateway/edge/auth/authentication.ts';
import type { EndpointWindow } from '../../gateway/edge/auth/endpoint-window.ts';
import { RequestBodies } from '../../gateway/edge/body/request-bodies.ts';
import { RequestAdmission } from '../../gateway/edge/request-admission.ts';
import { RequestReports } from '../../gateway/edge/request-reports.ts';
import { RunningRequests } from '../../gateway/edge/running-requests.ts';
import type { ServeParts } from '../../gateway/edge/serve.ts';
import { ClientAddresses } from '../../gateway/http/client-addresses.ts';
import { LargeAnswers } from '../../gateway/http/large-answers.ts';
import { Overload } from '../../gateway/overload/overload.ts';
import type { EdgeLimits } from '../../gateway/terms/config/config.ts';
import { NO_MEASURES } from '../../gateway/terms/measures.ts';
import type { ServingState } from '../../gateway/terms/serving-state.ts';
import { MemoryBoard } from './memory-board.ts';
import { memoryFiles } from './memory-files.ts';

interface ServingOptions {
  /** Fakes of some members. */
  readonly authentication: object;
  readonly window?: object;
  readonly overload?: object;
  readonly limits?: EdgeLimits;
  readonly clock?: Clock;
  readonly readiness?: () => ServingState;
}

/** What serves requests at the edge, where callers are found as the test says and nothing else refuses. */
export function servingOf({
  authentication: fake,
  window = { check: () => {}, take: () => ({ resetAt: 0, holder: null }), giveBack: () => {} },
  limits = config.edge,
  clock = systemClock,
  overload = new Overload(clock, config.overload),
  readiness = () => 'ready',
}: ServingOptions): ServeParts {
  const authentication = fake as Authentication;
  const clients = new ClientAddresses([]);
  return {
    admission: new RequestAdmission({
      clock,
      board: new MemoryBoard({}),
      readiness,
      authentication,
      clients,
      window: window as EndpointWindow,
      overload: overload as Overload,
      running: new RunningRequests(limits.requestsMax),
      underWay: () => 1,
    }),
    bodies: new RequestBodies({ clock, limits, clients, authentication, files: memoryFiles().filesOf({}) }),
    largeAnswers: new LargeAnswers(clock, limits),
    reports: new RequestReports({
      clock,
      now: () => 0,
      measures: NO_MEASURES,
      log: { warn: () => {}, error: () => {} },
      requestLog: null,
      tracing: null,
    }),
    corsOrigins: [],
  };
}
