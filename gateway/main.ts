/**
 * The composition root of one node: opens its secrets, stores, cluster, jobs and gateway, serves, and drains. It holds
 * no rule of the product, and it is the only place that lists the parts of a node.
 */
import type { Socket } from 'node:net';
import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { type Logger, pino } from 'pino';
import { endpointsOn } from '../actors/endpoint/endpoint.ts';
import { type Clock, type Cluster, openQueries, systemClock, systemRandom } from '../actors/runtime/index.ts';
import type { ClusterNode } from '../actors/runtime/node.ts';
import type { Endpoint } from '../actors/terms/endpoint.ts';
import { Flights } from './inflight/flights.ts';
import type { NodeContext, NodeOptions } from './node/node-options.ts';
import { openCluster } from './node/open-cluster.ts';
import type { EdgeGauges } from './node/open-edge.ts';
import { type Gateway, openGateway, openJobs } from './node/open-gateway.ts';
import { type OpenedStores, openStores } from './node/open-stores.ts';
import { OtherBuilds } from './operator/actor-page/other-builds.ts';
import { operatorRoutes } from './operator/api/operator-routes.ts';
import { shownConfig } from './operator/config/config-difference.ts';
import { tlsOf } from './operator/config/identity.ts';
import { hostPort } from './operator/config/interfaces.ts';
import { configFault } from './operator/config/load.ts';
import { openMaintenance } from './operator/config/open-maintenance.ts';
import { openSecretsFor } from './operator/config/pepper.ts';
import { LiveProviderKeys } from './operator/config/provider-keys.ts';
import type { Secrets } from './operator/config/secrets.ts';
import { storeChoice } from './operator/config/store-choice.ts';
import { openOidc } from './operator/http/oidc.ts';
import { openAtSamePort } from './operator/http/same-port.ts';
import { type OperatorServer, type OperatorServerOptions, openOperatorServer } from './operator/http/server.ts';
import { OperatorSessions } from './operator/http/sessions.ts';
import { waitsLine } from './operator/launcher/banner.ts';
import { EXIT_FORCED, exitOfDead } from './operator/launcher/message.ts';
import { StopSignals } from './operator/launcher/stop-signals.ts';
import type { Measurement } from './operator/metrics/measurement.ts';
import { measureNode, type NodeGauges } from './operator/metrics/node-gauges.ts';
import { NodeMetrics } from './operator/metrics/node-metrics.ts';
import { RefusalReporter } from './operator/metrics/refusal-reporter.ts';
import { BoundedQueries } from './operator/sql/bounded-queries.ts';
import { SQL_VIEWS } from './operator/sql/views.ts';
import { openTracing } from './operator/tracing/open-tracing.ts';
import { Overload } from './overload/overload.ts';
import type { ServingState } from './terms/serving-state.ts';
import { DENSEST, loadVocabulary } from './tokens/vocabulary.ts';

export interface NodeHandle {
  readonly name: string;
  readonly incarnation: string;
  readonly grpcAddress: string;
  readonly operatorUrl: string;
  readonly pid: number;
  readonly cluster: Cluster;
  /** Resolves once the node serves: its cluster is whole, its catalogue declared. */
  readonly ready: Promise<void>;
  /** Serves a connection that a launcher accepted. */
  accept(socket: Socket): void;
  /** Listens for connections; port 0 picks a free one. Resolves with `http://host:port`. */
  listen(host: string, port: number): Promise<string>;
  readonly gauges: EdgeGauges;
  /** How long the store has blocked this node's writer, ms; 0 if it does not. */
  storeBusyMs(): number;
  /**
   * Leaves in order: the edge stops accepting, shards move to nodes that stay, open turns and running activities end
   * within their graces, then the HTTP client closes. Resolves when everything is closed. May be called more than once.
   */
  drain(): Promise<void>;
}

/** Exit code of a node whose store failed: a restart recovers from the disk. */
const EXIT_STORE = 70;
/** Delay between the notice that this node was declared dead and the end of the process. */
const FAREWELL_MS = 100;
const READY_LOOK_MS = 20;
/** After the grace: how long an abandoned response is read for its usage, and how long its charge may take. */
const READ_ON_MS_MAX = 1_000;
const SETTLE_MS_MAX = 5_000;
const LOOP_RESOLUTION_MS = 20;
const WAIT_LOGGED_MS = 30_000;

/**
 * Starts one node. Resolves when it is a member of its cluster; `ready` follows. Rejects with errors an operator can
 * fix.
 */
export async function runNode(options: NodeOptions): Promise<NodeHandle> {
  const node = new GatewayNode(options);
  await node.start();
  return node;
}

class GatewayNode implements NodeHandle {
  readonly name: string;
  readonly pid = process.pid;
  readonly #options: NodeOptions;
  #context: NodeContext;
  readonly #metrics = new NodeMetrics();
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #loopDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #stores!: OpenedStores;
  #node!: ClusterNode;
  #gateway!: Gateway;
  #refusals!: RefusalReporter;
  #operator!: OperatorServer;
  #serving = false;
  #waitLoggedAt = Number.NEGATIVE_INFINITY;
  #drained: Promise<void> | null = null;
  ready!: Promise<void>;

  constructor(options: NodeOptions) {
    const { config, name, ports = {} } = options;
    const self = config.nodes.find((node) => node.name === name);
    if (!self) throw new Error(`the configuration has no node ${name}`);
    this.name = name;
    this.#options = options;
    this.#clock = ports.clock ?? systemClock;
    this.#log = pino({
      level: ports.logLevel ?? 'info',
      base: { node: name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    });
    const random = ports.random ?? systemRandom;
    const measures = this.#metrics.requests;
    const overload = new Overload(this.#clock, config.overload, (tookMs) => measures.requestShed(tookMs));
    // A virtual clock has no event loop of its own.
    const loopBusyMs = ports.clock === undefined ? () => performance.eventLoopUtilization().active : () => 0;
    this.#context = {
      options,
      self,
      clock: this.#clock,
      random,
      log: this.#log,
      overload,
      measures,
      flights: new Flights(() => this.#node.now()),
      loopBusyMs,
      tracing: null,
    };
  }

  get cluster(): Cluster {
    return this.#node;
  }

  get incarnation(): string {
    return this.#node.self.incarnation;
  }

  get grpcAddress(): string {
    return this.#node.self.address;
  }

  get operatorUrl(): string {
    return this.#operator.url;
  }

  accept(socket: Socket): void {
    this.#gateway.edge.accept(socket);
  }

  listen(host: string, port: number): Promise<string> {
    return this.#gateway.edge.listen(host, port);
  }

  get gauges(): EdgeGauges {
    return this.#gateway.edge.gauges;
  }

  storeBusyMs(): number {
    return this.#stores.store.busyMs();
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async start(): Promise<void> {
    const tracing = await openTracing(this.#options.config.tracing, this.name);
    this.#context = { ...this.#context, tracing };
    this.#stores = await openStores(this.#context, (error) =>
      this.#exit(EXIT_STORE, `the store failed: ${error.message}`),
    );
    try {
      const secrets = await this.#openSecrets();
      this.#operator = await this.#openOperator(secrets);
      await this.#join(secrets, await this.#openKeys());
    } catch (error) {
      this.#operator?.close();
      await this.#stores.close();
      throw error;
    }
  }

  #openSecrets(): Promise<Secrets> {
    const { config, env } = this.#options;
    const maintenance = () => openMaintenance(config, env);
    return openSecretsFor(this.#stores.store, { data: config.data, maintenance, random: this.#context.random });
  }

  #openKeys(): Promise<LiveProviderKeys> {
    const { config, env } = this.#options;
    return LiveProviderKeys.open(config, env, { clock: this.#clock, log: this.#log });
  }

  async #openOperator(secrets: Secrets): Promise<OperatorServer> {
    this.#loopDelay.enable();
    const { config, env } = this.#options;
    const { host, port } = hostPort(this.#context.self.operator);
    const tokens = { operator: secrets.operatorToken, viewer: secrets.viewerToken };
    const signIn = { tokens, sessions: new OperatorSessions(tokens, this.#clock) };
    const store = storeChoice(config, env);
    const routes = operatorRoutes({
      ...signIn,
      oidc: openOidc(config.operator),
      clock: this.#clock,
      clusterName: `${config.listen.host}:${config.listen.port}`,
      metrics: async (cluster) => this.#metrics.answer(await this.#measure(cluster)),
      approvalAboveUsd: () => config.deposits.approvalAboveUsd,
      management: { config, pepper: secrets.pepper },
      readiness: () => this.#readiness(),
      refreshModels: (provider) => this.#gateway.refresher.refresh(provider),
      queries: new BoundedQueries(openQueries(store, SQL_VIEWS, this.#clock)),
      lowDiskBytes: config.operator.lowDiskBytes,
      builds: new OtherBuilds(config.operator.builds, store, env),
      config: () => shownConfig(config),
      checkConfig: (value) => configFault(value, env),
    });
    const options: OperatorServerOptions = {
      cluster: () => this.#node ?? null,
      routes: [...routes, ...(this.#options.ports?.operatorRoutes ?? [])],
      ...signIn,
      tls: await tlsOf(config, this.#context.self, this.#clock.now()),
      clock: this.#clock,
      log: (message, error) => this.#log.error({ detail: String(error) }, message),
    };
    return openAtSamePort({ data: config.data, node: this.name, port }, (at) => openOperatorServer(host, at, options));
  }

  async #join(secrets: Secrets, keys: LiveProviderKeys): Promise<void> {
    // Before it joins: from then on the others judge it by what its event loop answers.
    await loadVocabulary(DENSEST);
    this.#node = await openCluster(this.#context, {
      ...openJobs(this.#context, () => this.#gateway),
      secrets,
      stores: this.#stores,
      operatorUrl: () => this.#operator.url,
      gauges: () => this.#measureNode(),
      refused: (account) => this.#metrics.requests.lastRefusals.of(account),
      onIsolated: () => this.#gateway?.edge.cut(),
      onDead: (why) => this.#leaveDead(why),
      onDrain: () => void this.#drainAndExit(),
      onWaiting: (waits) => this.#waits(waitsLine(waits)),
    });
    this.#gateway = openGateway(this.#context, {
      cluster: this.#node,
      secrets,
      keys,
      bytes: this.#stores.bytes,
      storeFull: () => this.#stores.store.full(),
      readiness: () => this.#readiness(),
    });
    const refusals = this.#metrics.requests.lastRefusals;
    this.#refusals = new RefusalReporter({ cluster: this.#node, clock: this.#clock, refusals, node: this.name });
    this.#takeSignals();
    this.ready = this.#becomeReady();
  }

  #readiness(): ServingState {
    const drains = this.#drained !== null;
    if (!this.#serving || !this.#node.ready) return drains ? 'left' : 'starting';
    if (this.#node.isolated) return 'isolated';
    if (!this.#node.connected) return 'waking';
    return drains ? 'draining' : 'ready';
  }

  async #becomeReady(): Promise<void> {
    while (this.#drained === null && !this.#node.ready) await this.#pause(READY_LOOK_MS);
    await this.#gateway.declare(() => this.#drained !== null);
    if (this.#drained !== null) return;
    this.#serving = true;
    this.#node.serve();
    this.#gateway.start();
    this.#refusals.start();
    this.#log.info({ incarnation: this.incarnation, grpc: this.grpcAddress }, 'serving');
  }

  async #drain(): Promise<void> {
    this.#log.info('draining');
    this.#options.onDraining?.();
    const { edge, outbound } = this.#gateway;
    const graceEndsAt = this.#clock.monotonic() + this.#options.config.edge.drainGraceMs;
    this.#gateway.stop();
    const served = edge.drain();
    this.#refusals.stop();
    await this.#node.drain();
    await Promise.all([served, this.#node.finishActivities()]);
    await edge.settled(READ_ON_MS_MAX);
    // Aborts the calls that are read only for their usage; they are charged by our own count.
    await outbound.close();
    await edge.settled(SETTLE_MS_MAX);
    // A charge may have to wait for the successor of its account's owner, so it may use what is left of the grace.
    const graceLeftMs = graceEndsAt - this.#clock.monotonic();
    await this.#within(Math.max(SETTLE_MS_MAX, graceLeftMs), this.#gateway.settled());
    edge.close();
    await this.#node.leave();
    this.#operator.close();
    await this.#stores.close();
    await this.#context.tracing?.close();
    this.#loopDelay.disable();
    this.#log.info('left');
  }

  async #drainAndExit(): Promise<void> {
    try {
      await this.drain();
      this.#exit(0, 'drained');
    } catch (error) {
      this.#exit(1, `the drain failed: ${String(error)}`);
    }
  }

  /** Other nodes have taken over: open responses end with the restart error, and the delay lets it be written. */
  #leaveDead(why: string): void {
    this.#gateway?.edge.cut();
    this.#clock.after(FAREWELL_MS, () => this.#exit(exitOfDead(why, this.#serving), `declared dead: ${why}`));
  }

  #exit(code: number, why: string): void {
    this.#log[code === 0 ? 'info' : 'fatal']({ code, why }, 'exit');
    const exit = this.#options.ports?.exit ?? ((status: number) => process.exit(status));
    exit(code);
  }

  #waits(what: string): void {
    const now = this.#clock.monotonic();
    if (now - this.#waitLoggedAt >= WAIT_LOGGED_MS) {
      this.#waitLoggedAt = now;
      this.#log.info(`the drain ${what}`);
    }
    this.#options.onWaiting?.(what);
  }

  /**
   * SIGTERM drains, and a second one ends the process at once. Ctrl-C reaches every process of a terminal; under a
   * launcher, the launcher handles it.
   */
  #takeSignals(): void {
    if (this.#options.ports?.exit) return;
    const signals = new StopSignals(this.#clock);
    const stop = (): void => {
      const meaning = signals.received();
      if (meaning === 'first') void this.#drainAndExit();
      else if (meaning === 'again') this.#exit(EXIT_FORCED, 'a second signal');
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', () => {
      if (!process.connected) stop();
    });
  }

  #measureNode(): Promise<NodeGauges> {
    return measureNode({
      commits: this.#metrics.requests.lastCommits,
      loopDelayP99Ms: this.#loopDelay.percentile(99) / 1e6,
      storeFull: this.#stores.store.full(),
      data: this.#options.config.data,
    });
  }

  async #measure(cluster: Cluster): Promise<Measurement> {
    return {
      node: this.name,
      view: await cluster.operator.ps(),
      edge: this.#gateway.edge.gauges,
      endpoints: [...endpointsOn(cluster.board).values()] as unknown as readonly Endpoint[],
      ready: this.#readiness() === 'ready',
      connected: cluster.connected,
      rssBytes: process.memoryUsage.rss(),
      gauges: await this.#measureNode(),
    };
  }

  #within(ms: number, work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = this.#clock.after(ms, resolve);
      work.then(resolve, reject).finally(late);
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve);
    });
  }
}
