import type { Socket } from 'node:net';
import type { Clock } from '../../actors/runtime/index.ts';
import { PreparedAnswers } from '../api/catalogue/prepared-answers.ts';
import { PublicStats } from '../api/catalogue/public-stats.ts';
import { UploadRoom } from '../api/files/upload-room.ts';
import { AccountedBudgets } from '../edge/auth/accounted-budgets.ts';
import { Authentication } from '../edge/auth/authentication.ts';
import { EndpointWindow } from '../edge/auth/endpoint-window.ts';
import { BodyRoom } from '../edge/body/body-room.ts';
import { OpenUploads } from '../edge/body/open-uploads.ts';
import { AccountFeeds } from '../edge/events/account-feeds.ts';
import { RunningRequests } from '../edge/running-requests.ts';
import type { EdgeServices } from '../edge/services.ts';
import { OpenTurns } from '../edge/turns/open-turns.ts';
import { ClientAddresses } from '../http/client-addresses.ts';
import { LargeAnswers } from '../http/large-answers.ts';
import type { Listener } from '../http/listener.ts';
import { ProviderEarnings } from '../jobs/earnings/provider-earnings.ts';
import { Arrivals } from '../overload/arrivals.ts';
import { OneAtATime } from '../overload/one-at-a-time.ts';
import type { OverloadGauges } from '../overload/overload.ts';
import { EndpointHistories } from '../pages/catalogue/endpoint-histories.ts';
import { RetainedTurns } from '../sockets/retained-turns.ts';
import type { ServingState } from '../terms/serving-state.ts';
import { openApi } from './open-api.ts';

/** The public API of one node. */
export interface Edge {
  /** Serves a connection that another process accepted. */
  accept(socket: Socket): void;
  /** Listens on a port of its own; resolves with `http://host:port`. */
  listen(host: string, port: number): Promise<string>;
  /**
   * Stops accepting and lets open turns end within the grace period, those included that are read on for their usage after
   * their client left; then ends the others with the restart error.
   */
  drain(): Promise<void>;
  /** Resolves when every turn is accounted for, or after `withinMs`. */
  settled(withinMs: number): Promise<void>;
  /** Ends every open turn now; streams receive the restart error in-band. */
  cut(): void;
  /** Drops every connection at once. */
  close(): void;
  readonly gauges: EdgeGauges;
}

export interface EdgeGauges {
  readonly connections: number;
  /** Connections closed unread so far because a connection bound was reached. */
  readonly connectionsRefused: number;
  readonly requestsUnderWay: number;
  readonly streamsOpen: number;
  readonly draining: boolean;
  readonly answersByStatus: ReadonlyMap<number, number>;
  /** Turns whose charge could not be recorded before the answer was sent. */
  readonly settledLater: number;
  readonly overload: OverloadGauges;
}

const SETTLED_CHECK_MS = 20;

export function openEdge(services: EdgeServices): Edge {
  const { cluster, clock, limits, overload } = services;
  const budgets = new AccountedBudgets(services);
  const window = new EndpointWindow(budgets, clock, {
    now: () => cluster.now(),
    idleMs: limits.sliceIdleMs,
    part: budgets.part,
  });
  const clients = new ClientAddresses(limits.trustedProxies);
  const authentication = new Authentication({ ...services, ...limits, budgets, clients });
  let listener: Listener | null = null;
  let ended = false;
  const readiness = (): ServingState => (ended ? 'left' : services.readiness());
  const turns = new OpenTurns();
  const arrivals = new Arrivals(clock, { ...overload.limits, arrivalsMax: limits.connectionsMax });
  const feeds = new AccountFeeds(services, services.events);
  const open = openApi({
    services: { ...services, readiness },
    ...{ authentication, clients, window, turns, overload, arrivals },
    largeAnswers: new LargeAnswers(clock, limits),
    ...{ feeds, preparedAnswers: new PreparedAnswers(), histories: new EndpointHistories(cluster) },
    ...{ publicStats: new PublicStats(cluster), providerEarnings: new ProviderEarnings(cluster, services.askMs) },
    uploads: new UploadRoom(services.files.limits),
    openUploads: new OpenUploads(limits),
    bodies: new BodyRoom(limits.bodiesBytesMax),
    largeBodies: new OneAtATime(),
    largeJobBodies: new OneAtATime(),
    retained: new RetainedTurns(),
    running: new RunningRequests(limits.requestsMax),
    underWay: () => (listener?.underWay ?? 0) - feeds.requests - arrivals.waiting,
  });
  listener = open;

  return {
    accept: (socket) => open.accept(socket),
    listen: (host, port) => open.listen(host, port),
    async drain() {
      const endsAt = clock.monotonic() + limits.drainGraceMs;
      feeds.endAll();
      await open.drain();
      await quiet(() => turns.size, endsAt, clock);
      ended = true;
      turns.cutAll();
      window.close();
    },
    settled: (withinMs) => quiet(() => turns.size + open.underWay, clock.monotonic() + withinMs, clock),
    cut() {
      ended = true;
      feeds.endAll();
      turns.cutAll();
    },
    close() {
      window.close();
      open.close();
    },
    get gauges() {
      return {
        connections: open.connections,
        connectionsRefused: open.refused,
        requestsUnderWay: open.underWay,
        streamsOpen: turns.streams,
        draining: open.draining,
        answersByStatus: open.answers,
        settledLater: turns.settledLater,
        overload: overload.gauges,
      };
    },
  };
}

/** Resolves once nothing is under way, or at `endsAt`. */
async function quiet(underWay: () => number, endsAt: number, clock: Clock): Promise<void> {
  while (underWay() > 0 && clock.monotonic() < endsAt) {
    await new Promise<void>((resolve) => void clock.after(SETTLED_CHECK_MS, resolve));
  }
}
