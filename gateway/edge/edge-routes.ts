import type { PreparedAnswers } from '../api/catalogue/prepared-answers.ts';
import type { PublicStats } from '../api/catalogue/public-stats.ts';
import type { UploadRoom } from '../api/files/upload-room.ts';
import type { ClientAddresses } from '../http/client-addresses.ts';
import type { LargeAnswers } from '../http/large-answers.ts';
import type { ProviderEarnings } from '../jobs/earnings/provider-earnings.ts';
import type { Arrivals } from '../overload/arrivals.ts';
import type { OneAtATime } from '../overload/one-at-a-time.ts';
import type { Overload } from '../overload/overload.ts';
import type { EndpointHistories } from '../pages/catalogue/endpoint-histories.ts';
import type { RetainedTurns } from '../sockets/retained-turns.ts';
import type { Authentication } from './auth/authentication.ts';
import type { EndpointWindow } from './auth/endpoint-window.ts';
import type { BodyRoom } from './body/body-room.ts';
import type { OpenUploads } from './body/open-uploads.ts';
import type { AccountFeeds } from './events/account-feeds.ts';
import type { RunningRequests } from './running-requests.ts';
import type { EdgeServices } from './services.ts';
import type { OpenTurns } from './turns/open-turns.ts';

/** The state that the handlers of the public API share on one node. */
export interface EdgeRoutes {
  readonly services: EdgeServices;
  readonly authentication: Authentication;
  readonly clients: ClientAddresses;
  readonly window: EndpointWindow;
  readonly overload: Overload;
  readonly arrivals: Arrivals;
  readonly turns: OpenTurns;
  readonly retained: RetainedTurns;
  readonly bodies: BodyRoom;
  /** Large bodies that are parsed: of live requests, and of jobs. */
  readonly largeBodies: OneAtATime;
  readonly largeJobBodies: OneAtATime;
  readonly openUploads: OpenUploads;
  readonly uploads: UploadRoom;
  readonly feeds: AccountFeeds;
  readonly largeAnswers: LargeAnswers;
  readonly preparedAnswers: PreparedAnswers;
  readonly publicStats: PublicStats;
  readonly histories: EndpointHistories;
  readonly providerEarnings: ProviderEarnings;
  readonly running: RunningRequests;
  /** Number of requests under way on this node. */
  readonly underWay: () => number;
}
