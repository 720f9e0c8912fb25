/**
 * The composition root of one node: opens its secrets, store and wires, joins the cluster, declares the catalogue and
 * serves the API. It holds no rule of the product, and it is the only place that knows which parts a node is made of.
 */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Logger, pino } from 'pino';
import { kinds } from '../actors/kinds.ts';
import { type Clock, type Cluster, type Random, systemClock, systemRandom } from '../actors/runtime/index.ts';
import { type ClusterNode, type NodeParts, startNode } from '../actors/runtime/node.ts';
import { type ByteStores, openByteStores } from '../actors/runtime/stores/open-byte-stores.ts';
import { type OpenedStore, openStore } from '../actors/runtime/stores/open-store.ts';
import type { Tls } from '../actors/runtime/transports/grpc/tls.ts';
import { GrpcTransport } from '../actors/runtime/transports/grpc/transport.ts';
import { declareUntilListed } from './catalogue/declare-until-listed.ts';
import { Prober } from './catalogue/prober.ts';
import { Refresher } from './catalogue/refresher.ts';
import { Checker } from './checks/checker.ts';
import { type Edge, type EdgeGauges, openEdge } from './edge/edge.ts';
import { drainInference, type InferenceServices, openInference } from './inference/services.ts';
import { hostPort } from './operator/config/host-port.ts';
import { tlsOf } from './operator/config/identity.ts';
import { providerKeys } from './operator/config/provider-keys.ts';
import { openSecrets, type Secrets } from './operator/config/secrets.ts';
import { storeChoice } from './operator/config/store-choice.ts';
import { armCrashPoint } from './operator/crash-point.ts';
import type { Measurement } from './operator/http/metrics.ts';
import { type OperatorServer, openOperatorServer } from './operator/http/server.ts';
import { EXIT_REJOIN } from './operator/launcher/message.ts';
import { routeLinks } from './operator/link-routes.ts';
import type { Outbound } from './outbound/outbound.ts';
import { Pools } from './outbound/pools.ts';
import type { ClusterConfig, NodeConfig } from './terms/config.ts';

export interface NodeOptions {
  readonly config: ClusterConfig;
  /** Which of the configured nodes this is. */
  readonly name: string;
  /** Provider keys, by the variables the providers name; `TROUPE_CRASHPOINT`, `TROUPE_LINK_ROUTES`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports?: NodePorts;
  /** The drain begins, whoever asked for it: take no further connections. */
  readonly onDraining?: () => void;
}

/** What tests, and nodes that share a process, put in place of the real thing. */
export interface NodePorts {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logLevel?: 'info' | 'warn' | 'error' | 'silent';
  /** Ends the process; with it the node takes no signals either. */
  readonly exit?: (code: number) => void;
  /** Kinds and their activities beside the product's own. The HTTP client is there once the node serves. */
  readonly kinds?: NodeParts['kinds'];
  readonly activities?: (outbound: () => Outbound) => NonNullable<NodeParts['activities']>;
}

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
  /** Takes connections itself; port 0 takes a free one. Resolves with `http://host:port`. */
  listen(host: string, port: number): Promise<string>;
  readonly gauges: EdgeGauges;
  /** How long the store has made this node's writer wait, ms; 0 when it does not. */
  storeBusyMs(): number;
  /**
   * Leaves in order: intake ends, shards go to nodes that stay, open turns and running activities end within their
   * graces, then the HTTP client closes. Resolves when everything is closed. May be called more than once.
   */
  drain(): Promise<void>;
}

/** Exit code of a node whose store failed under it: start it again, it recovers from what is on the disk. */
const EXIT_STORE = 70;
/** Between learning of its death and the end of the process. */
const FAREWELL_MS = 100;
const READY_LOOK_MS = 20;
/** Once the grace is over: how long an answer nobody waits for is read on, and how long its charge may take. */
const READ_ON_MS_MAX = 1_000;
const SETTLE_MS_MAX = 5_000;
const LOOP_RESOLUTION_MS = 20;

/** Starts one node. Resolves when it is a member of its cluster; `ready` follows. Rejects with what a person can mend. */
export async function runNode(options: NodeOptions): Promise<NodeHandle> {
  const node = new GatewayNode(options);
  await node.start();
  return node;
}

class GatewayNode implements NodeHandle {
  readonly name: string;
  readonly pid = process.pid;
  readonly #options: NodeOptions;
  readonly #self: NodeConfig;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #crashPoint: ((name: string) => void) | null;
  readonly #loopDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #tls: Tls | undefined;
  #store!: OpenedStore;
  #bytes!: ByteStores;
  #node!: ClusterNode;
  #outbound!: Pools;
  #inference!: InferenceServices;
  #prober!: Prober;
  #refresher!: Refresher;
  #checker!: Checker;
  #edge!: Edge;
  #operator!: OperatorServer;
  #serving = false;
  #drained: Promise<void> | null = null;
  ready!: Promise<void>;

  constructor(options: NodeOptions) {
    const { config, env, name, ports = {} } = options;
    const self = config.nodes.find((node) => node.name === name);
    if (!self) throw new Error(`the configuration has no node ${name}`);
    this.#options = options;
    this.#self = self;
    this.name = name;
    this.#clock = ports.clock ?? systemClock;
    this.#random = ports.random ?? systemRandom;
    this.#log = pino({ level: ports.logLevel ?? 'info', base: { node: name } });
    this.#keys = providerKeys(config, env);
    this.#crashPoint = armCrashPoint(env.TROUPE_CRASHPOINT, () => process.kill(process.pid, 'SIGKILL'));
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
    this.#edge.accept(socket);
  }

  listen(host: string, port: number): Promise<string> {
    return this.#edge.listen(host, port);
  }

  get gauges(): EdgeGauges {
    return this.#edge.gauges;
  }

  storeBusyMs(): number {
    return this.#store.busyMs();
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async start(): Promise<void> {
    const { config } = this.#options;
    const secrets = await openSecrets(config.data, this.#random);
    this.#tls = await tlsOf(config, this.#self, this.#clock.now());
    const { data, runtime } = config;
    const choice = storeChoice(config, this.#options.env);
    const ports = { choice, clock: this.#clock, random: this.#random };
    this.#store = await openStore({
      ...ports,
      shards: runtime.shards,
      onFull: (full) =>
        this.#log[full ? 'error' : 'info'](full ? 'the disk is full: new work is refused' : 'the disk has room again'),
      marks: { folder: join(config.data, 'marks'), node: this.name },
      onFatal: (error) => this.#exit(EXIT_STORE, `the store failed: ${error.message}`),
    });
    try {
      this.#bytes = await openByteStores({ ...ports, data, blobBytesMax: runtime.blobBytesMax });
      await this.#join(secrets);
    } catch (error) {
      await this.#operator?.close();
      await this.#closeStores();
      throw error;
    }
  }

  async #closeStores(): Promise<void> {
    await Promise.all([this.#store.close(), this.#bytes?.blobs.close(), this.#bytes?.keys?.close()]);
  }

  async #join(secrets: Secrets): Promise<void> {
    this.#loopDelay.enable();
    const { host, port } = hostPort(this.#self.operator);
    this.#operator = await openOperatorServer(host, port, {
      cluster: () => this.#node ?? null,
      token: secrets.operatorToken,
      measure: (cluster) => this.#measure(cluster),
      serving: () => this.#serves() && this.#drained === null,
      refreshModels: (provider) => this.#refresher.refresh(provider),
      log: (message, error) => this.#log.error({ detail: String(error) }, message),
    });
    this.#node = await this.#startNode(secrets);
    this.#outbound = new Pools({ clock: this.#clock, ...this.#options.config.upstream });
    this.#openInference();
    this.#edge = this.#openEdge(secrets);
    this.#takeSignals();
    this.ready = this.#becomeReady();
  }

  #startNode(secrets: Secrets): Promise<ClusterNode> {
    const { config, env, ports = {} } = this.#options;
    const route = routeLinks(env.TROUPE_LINK_ROUTES, this.name);
    return startNode({
      name: this.name,
      grpcAddress: this.#self.grpc,
      operatorUrl: () => this.#operator.url,
      host: hostname(),
      pid: this.pid,
      kinds: [...kinds, ...(ports.kinds ?? [])],
      activities: ports.activities?.(() => this.#outbound) ?? {},
      activityGraceMs: config.activities.graceMs,
      store: this.#store,
      ...this.#bytes,
      clock: this.#clock,
      random: this.#random,
      limits: config.runtime,
      secret: secrets.clusterSecret,
      operatorToken: secrets.operatorToken,
      configDigest: digestOf(config),
      transport: (parts) => new GrpcTransport({ ...parts, tls: this.#tls, route }),
      log: ({ level, message, ...record }) => this.#log[level](record, message),
      onIsolated: () => this.#edge?.cut(),
      onDead: (why) => this.#leaveDead(why),
      onDrain: () => void this.#drainAndExit(),
    });
  }

  #openInference(): void {
    const { config } = this.#options;
    this.#inference = openInference({
      cluster: this.#node,
      clock: this.#clock,
      random: this.#random,
      config,
      outbound: this.#outbound,
      keys: this.#keys,
      crashpoint: this.#crashPoint ?? (() => {}),
      storeFull: () => this.#store.full(),
      log: ({ level, message, ...record }) => this.#log[level](record, message),
    });
    const { upstream, providers } = config;
    const parts = { cluster: this.#node, clock: this.#clock, outbound: this.#outbound, upstream, keys: this.#keys };
    this.#prober = new Prober(parts);
    this.#refresher = new Refresher({ ...parts, providers, log: this.#log });
    this.#checker = new Checker({
      ...parts,
      limits: config.checks,
      targetOf: (endpoint) => this.#inference.targets.of(endpoint),
      log: ({ message, ...record }) => this.#log.warn(record, message),
    });
  }

  #openEdge(secrets: Secrets): Edge {
    const { config } = this.#options;
    return openEdge({
      cluster: this.#node,
      clock: this.#clock,
      random: this.#random,
      limits: config.edge,
      rates: config.rates,
      askMs: config.upstream.askMs,
      nodes: config.nodes.length,
      pepper: secrets.pepper,
      inference: this.#inference,
      serving: () => this.#serves(),
      log: this.#log,
      crashPoint: this.#crashPoint,
    });
  }

  #serves(): boolean {
    return this.#serving && this.#node.ready && this.#node.connected;
  }

  async #becomeReady(): Promise<void> {
    while (this.#drained === null && !this.#node.ready) await this.#pause(READY_LOOK_MS);
    const { upstream, providers } = this.#options.config;
    await declareUntilListed({
      ...{ cluster: this.#node, outbound: this.#outbound, keys: this.#keys, upstream, providers },
      clock: this.#clock,
      log: this.#log,
      givenUp: () => this.#drained !== null,
    });
    if (this.#drained !== null) return;
    this.#serving = true;
    this.#node.serve();
    for (const periodic of [this.#prober, this.#refresher, this.#checker]) periodic.start();
    this.#log.info({ incarnation: this.incarnation, grpc: this.grpcAddress }, 'serving');
  }

  async #drain(): Promise<void> {
    this.#log.info('draining');
    this.#options.onDraining?.();
    for (const periodic of [this.#prober, this.#refresher, this.#checker]) periodic.stop();
    const served = this.#edge.drain();
    await this.#node.drain();
    await Promise.all([served, this.#node.finishActivities()]);
    await this.#edge.settled(READ_ON_MS_MAX);
    // Aborts the calls that are read on for their usage alone: our own count is charged for those.
    await this.#outbound.close();
    await this.#edge.settled(SETTLE_MS_MAX);
    await this.#within(SETTLE_MS_MAX, drainInference(this.#inference));
    this.#edge.close();
    await this.#node.leave();
    await this.#operator.close();
    await this.#closeStores();
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

  /** The others have taken over: what is still being answered here is told so, for as long as writing that takes. */
  #leaveDead(why: string): void {
    this.#edge?.cut();
    this.#clock.after(FAREWELL_MS, () => this.#exit(EXIT_REJOIN, `declared dead: ${why}`));
  }

  #exit(code: number, why: string): void {
    this.#log[code === 0 ? 'info' : 'fatal']({ code, why }, 'exit');
    const exit = this.#options.ports?.exit ?? ((status: number) => process.exit(status));
    exit(code);
  }

  /** SIGTERM drains. Ctrl-C reaches every process of a terminal: under a launcher it is the launcher's to act on. */
  #takeSignals(): void {
    if (this.#options.ports?.exit) return;
    process.on('SIGTERM', () => void this.#drainAndExit());
    process.on('SIGINT', () => {
      if (!process.connected) void this.#drainAndExit();
    });
  }

  async #measure(cluster: Cluster): Promise<Measurement> {
    const { rss, heapUsed } = process.memoryUsage();
    return {
      node: this.name,
      view: await cluster.operator.ps(),
      edge: this.#edge.gauges,
      ready: this.#serves(),
      connected: cluster.connected,
      storeFull: this.#store.full(),
      memory: { rss, heapUsed },
      loopDelayP99: this.#loopDelay.percentile(99) / 1e9,
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

/** What must be the same on every node of a cluster: nodes that differ in it refuse each other. */
function digestOf({ runtime, rates, workspace }: ClusterConfig): string {
  return createHash('sha256').update(JSON.stringify({ runtime, rates, workspace })).digest('hex');
}
