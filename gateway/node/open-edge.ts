import type { Socket } from 'node:net';
import type { RunningRefresh } from '../../actors/provider/refreshes.ts';
import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import { generationId } from '../../actors/terms/ids.ts';
import { apiRoutes, OPERATIONS } from '../api/api-routes.ts';
import { FEED_TEXTS } from '../api/events/event-object.ts';
import { openApiDocument } from '../api/wire/openapi-document.ts';
import { AccountedBudgets } from '../edge/auth/accounted-budgets.ts';
import { Authentication } from '../edge/auth/authentication.ts';
import { EndpointWindow } from '../edge/auth/endpoint-window.ts';
import { RequestBodies } from '../edge/body/request-bodies.ts';
import { edgeListener } from '../edge/edge-listener.ts';
import { AccountFeeds } from '../edge/events/account-feeds.ts';
import { RequestAdmission } from '../edge/request-admission.ts';
import type { RequestContext } from '../edge/request-context.ts';
import { RequestReports } from '../edge/request-reports.ts';
import { PREFIX, type Route } from '../edge/route.ts';
import { RunningRequests } from '../edge/running-requests.ts';
import { type ServeParts, serve, serveRoute } from '../edge/serve.ts';
import type { AnswerParts } from '../edge/turns/answer-parts.ts';
import { OpenTurns } from '../edge/turns/open-turns.ts';
import type { FileRoom, FileServices } from '../files/file-services.ts';
import { ClientAddresses } from '../http/client-addresses.ts';
import { HttpRouter } from '../http/http-router.ts';
import { LargeAnswers } from '../http/large-answers.ts';
import type { Listener } from '../http/listener.ts';
import type { Inference } from '../inference/inference.ts';
import { videoBounds } from '../jobs/video/video-schema.ts';
import { Arrivals } from '../overload/arrivals.ts';
import type { OverloadGauges } from '../overload/overload.ts';
import { pageRoutes } from '../pages/page-routes.ts';
import type { Workspaces } from '../routing/workspaces.ts';
import { followOverSocket } from '../sockets/event-socket.ts';
import { responsesSocketRoute } from '../sockets/responses-socket.ts';
import type { RequestLine } from '../terms/request-line.ts';
import type { ServingState } from '../terms/serving-state.ts';
import type { NodeContext } from './node-options.ts';

/** What the public API of a node is opened with, beside the node's context. It does not read the environment and owns no actor. */
export interface EdgeParts {
  readonly cluster: Cluster;
  readonly inference: Inference;
  readonly files: FileServices;
  readonly fileRoom: FileRoom;
  readonly workspaces: Workspaces;
  readonly storeFull: () => boolean;
  /** Secret mixed into the digest of every key. */
  readonly pepper: Uint8Array;
  readonly readiness: () => ServingState;
  /** Begins to read a provider's models document; null for an unknown slug. */
  readonly refreshModels: (slug: string) => Promise<RunningRefresh | null>;
  /** Writes one line of the request log. */
  readonly requestLog: (line: RequestLine) => void;
  readonly crashPoint: AnswerParts['crashPoint'];
}

/** Of a node's context, what its public API takes. */
type EdgeContext = Pick<NodeContext, 'options' | 'clock' | 'random' | 'overload' | 'measures' | 'tracing' | 'log'>;

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

export function openEdge(context: EdgeContext, node: EdgeParts): Edge {
  const { overload, clock, random, log } = context;
  const { config } = context.options;
  const { cluster, inference, pepper, crashPoint } = node;
  const { edge: limits } = config;
  let ended = false;
  const readiness = (): ServingState => (ended ? 'left' : node.readiness());
  const turns = new OpenTurns();
  const feeds = new AccountFeeds({ cluster, clock, askMs: config.upstream.askMs }, config.events);
  const arrivals = new Arrivals(clock, { ...overload.limits, arrivalsMax: limits.connectionsMax });
  const underWay = (): number => open.underWay - feeds.requests - arrivals.waiting;
  const access = accessOf(context, node);
  const { authentication, window } = access;
  const serving = servingOf(context, node, access, { readiness, underWay });
  const { largeAnswers } = serving;
  const answering: AnswerParts = {
    inference,
    random,
    now: () => cluster.now(),
    authentication,
    turns,
    largeAnswers,
    limits,
    pepper,
    log,
    crashPoint,
  };
  const routes = publicRoutes(context, { node, answering, serving, access, readiness, feeds });
  const generation = (): string => generationId(random, cluster.now());
  const open = openListener(context, { serving, access, arrivals, routes, generation });

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

/** Who calls, and within which budgets. */
interface Access {
  readonly authentication: Authentication;
  readonly clients: ClientAddresses;
  readonly window: EndpointWindow;
}

function accessOf({ options, clock }: EdgeContext, { cluster, pepper }: EdgeParts): Access {
  const { edge: limits, rates, upstream, nodes } = options.config;
  const budgets = new AccountedBudgets({ cluster, rates, askMs: upstream.askMs, nodes: nodes.length });
  const clients = new ClientAddresses(limits.trustedProxies);
  return {
    clients,
    authentication: new Authentication({ cluster, pepper, ...limits, budgets, clients }),
    window: new EndpointWindow(budgets, clock, {
      now: () => cluster.now(),
      idleMs: limits.sliceIdleMs,
      part: budgets.part,
    }),
  };
}

function servingOf(
  { options, clock, overload, measures, tracing, log }: EdgeContext,
  { cluster, files, requestLog }: EdgeParts,
  access: Access,
  state: { readonly readiness: () => ServingState; readonly underWay: () => number },
): ServeParts {
  const { edge: limits } = options.config;
  const { board } = cluster;
  const running = new RunningRequests(limits.requestsMax);
  return {
    admission: new RequestAdmission({ clock, board, ...access, overload, running, ...state }),
    bodies: new RequestBodies({ clock, limits, ...access, files }),
    largeAnswers: new LargeAnswers(clock, limits),
    reports: new RequestReports({
      clock,
      now: () => cluster.now(),
      measures,
      log,
      requestLog: limits.requestLog ? requestLog : null,
      tracing,
    }),
    corsOrigins: limits.corsOrigins,
  };
}

interface PublicParts {
  readonly node: EdgeParts;
  readonly answering: AnswerParts;
  readonly serving: ServeParts;
  readonly access: Access;
  readonly readiness: () => ServingState;
  readonly feeds: AccountFeeds;
}

/** Every route of the public port: the API below its prefix, its sockets, and the pages for browsers. */
function publicRoutes(
  { options, clock, random }: EdgeContext,
  { node, answering, serving, access, readiness, feeds }: PublicParts,
): readonly Route[] {
  const { config } = options;
  const { cluster, inference, files, fileRoom, workspaces, storeFull, pepper, refreshModels } = node;
  const { authentication, clients } = access;
  const { bodies } = serving;
  const { edge: limits, events, upstream, webhooks } = config;
  const services = { cluster, random, pepper, askMs: upstream.askMs, config };
  const downloads = { files, streamStalledMs: limits.streamStalledMs };
  const overSocket = (context: RequestContext): Promise<null> =>
    followOverSocket(context, feeds, { clock, now: () => cluster.now(), events, limits, texts: FEED_TEXTS });
  const socket = responsesSocketRoute({
    limits,
    answering,
    authentication,
    bodies,
    serve: (context, route) => serveRoute(context, route, serving),
  });
  const api = apiRoutes(
    {
      services,
      answering,
      downloads,
      fileRoom,
      workspaces,
      submitting: { files, planner: inference.planner, bounds: videoBounds(config), storeFull },
      events: { cluster, clock, limits, events, feeds, overSocket },
      clients,
      config,
      readiness,
      refreshModels,
    },
    [socket],
  );
  const pages = pageRoutes({
    node: { services, background: files.background, clients, authentication },
    apiDocument: () => openApiDocument(OPERATIONS),
    downloads,
    secretOverlapMs: webhooks.secretOverlapMs,
  });
  return [...api.map(belowPrefix), ...pages];
}

function belowPrefix(route: Route): Route {
  return { ...route, path: `${PREFIX}${route.path}` };
}

interface ListenerParts extends Pick<PublicParts, 'serving' | 'access'> {
  readonly arrivals: Arrivals;
  readonly routes: readonly Route[];
  /** Makes a generation id. */
  readonly generation: () => string;
}

function openListener(
  { options, clock, overload, measures }: EdgeContext,
  { serving, access: { authentication, clients }, arrivals, routes, generation }: ListenerParts,
): Listener<RequestContext> {
  const { edge: limits } = options.config;
  const router = new HttpRouter(routes);
  return edgeListener({
    limits,
    clock,
    generation,
    serve: (context) => {
      const account = authentication.accountOf(context);
      arrivals.add({
        holder: account ?? clients.of(context.request),
        isRefused: account !== null && !overload.mayDispatch('live', account),
        begin: () => void serve(context, router, serving),
      });
    },
    ended: ({ route, response, startedAt }) =>
      measures.requestEnded(route, response.statusCode, clock.monotonic() - startedAt),
    upgrades: ({ method = '', url = '' }) => router.find(method, url)?.route.upgrades === true,
  });
}

/** Resolves once nothing is under way, or at `endsAt`. */
async function quiet(underWay: () => number, endsAt: number, clock: Clock): Promise<void> {
  while (underWay() > 0 && clock.monotonic() < endsAt) {
    await new Promise<void>((resolve) => void clock.after(SETTLED_CHECK_MS, resolve));
  }
}
