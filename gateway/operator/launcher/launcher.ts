/**
 * `troupe up`: one whole cluster on this machine. Opens the public port first, then simulators, nodes and demo account;
 * watches them; stops them in an order that loses no call. Every failed start is a ConfigError of one line, and leaves
 * no process running.
 */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Cancel, Clock, Random } from '../../../actors/runtime/index.ts';
import type { ClusterConfig, TlsConfig } from '../../terms/config/config.ts';
import { ConfigError, lineOf } from '../config/config-error.ts';
import { openSecrets, type Secrets } from '../config/secrets.ts';
import { renderBanner } from './banner.ts';
import { baseUrl, ConnectionFile, type ConnectionInfo, type ConnectionNode, connectionPath } from './connection.ts';
import { type Customers, startCustomers } from './customers.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { CUSTOMERS, DEMO, type DemoKeys, type DemoOwner, openDemoKeys, readDemoKeys } from './demo-keys.ts';
import { Fleet } from './fleet.ts';
import { type Journal, openJournal } from './journal.ts';
import { refuseSimulators, rememberStart, usesSimulators } from './last-start.ts';
import { trimLogs } from './log-files.ts';
import { writeWhole } from './private-files.ts';
import { boundedRefusals, openPublicPort, type PublicPort } from './public-port.ts';
import { FACILITATOR_SECRET, type Simulators, startSimulators } from './simulators.ts';

interface LauncherOptions {
  readonly config: ClusterConfig;
  /** The absolute path of the file given with `--config`; null without one. */
  readonly configFile: string | null;
  /** `--demo`: simulated providers may replace the real ones that the folder last ran with. */
  readonly demo: boolean;
  /** Simulated customers call the API of the demo. */
  readonly traffic: boolean;
  /** `--log-level` for the nodes; null: their default. */
  readonly logLevel?: string | null;
  /** The module that runs one node: `<entry> node --name NAME --config FILE`. */
  readonly entry: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Opens and closes the demo account over the operator API of the nodes. */
  readonly demoAccount: DemoAccount;
  /** Prints one line for the user at the terminal. */
  readonly report: (line: string) => void;
  /** What the start does now, as a line. */
  readonly progress: (line: string) => void;
}

export interface DemoAccount {
  open(nodes: readonly ConnectionNode[], token: string, keys: DemoKeys): Promise<void>;
  /** True if its keys could spend until now. */
  close(nodes: readonly ConnectionNode[], token: string, keys: DemoKeys): Promise<boolean>;
}

/** Time for nodes to load their code, open the store and agree on shards, even on a slow machine. */
const START_MS_MAX = 60_000;
/** On a machine that is short of processor time the first node may need longer than that. */
const FIRST_NODE_MS_MAX = 180_000;
const DEMO_TRIES_MAX = 3;
/** Time that a node may need beyond the grace period of its open streams. */
const STOP_SLACK_MS = 6_000;
const SIMULATOR_STOP_MS = 2_000;
/** Interval of trimming the logs to their bound. */
const TRIM_MS = 60_000;

export class Launcher {
  private readonly options: LauncherOptions;
  private readonly startedAt: number;
  private readonly refuse: (socket: Socket) => void;
  private folder: DataFolder | null = null;
  private port: PublicPort | null = null;
  private simulators: Simulators | null = null;
  private readonly facilitatorSecret: string;
  private fleet: Fleet | null = null;
  private secrets: Secrets | null = null;
  private demo: DemoKeys | null = null;
  private traffic: DemoKeys | null = null;
  private customers: Customers | null = null;
  private file: ConnectionFile | null = null;
  private journal: Journal = () => {};
  private ready = false;
  /** Monotonic ms of the last report of each node's wait. */
  private readonly waitsReported = new Map<string, number>();
  private trimAgain: Cancel = () => {};
  private stopped: Promise<void> | null = null;
  private changed: () => void = () => {};
  private failed: (reason: ConfigError) => void = () => {};

  constructor(options: LauncherOptions) {
    this.options = options;
    this.startedAt = options.clock.monotonic();
    const { clock, random, config } = options;
    this.facilitatorSecret = Buffer.from(random.bytes(32)).toString('hex');
    this.refuse = boundedRefusals(config.launcher.handoffsMax, { clock, random, limits: config.edge });
  }

  /** Resolves with the banner once the cluster serves. @throws ConfigError */
  async start(): Promise<string> {
    try {
      return await this.open();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Closes the port, drains the nodes, then stops the simulators. Repeated calls return the same promise. */
  stop(): Promise<void> {
    this.stopped ??= this.close();
    return this.stopped;
  }

  /** Kills the remaining processes, so that `stop` resolves soon. */
  force(): void {
    this.fleet?.killAll('the user asked for an immediate stop');
  }

  private async open(): Promise<string> {
    const { config, clock, random } = this.options;
    this.folder = await openDataFolder(config.data);
    if (usesSimulators(config) && !this.options.demo) await refuseSimulators(config.data);
    this.port = await openPublicPort(config.listen, (socket) => this.accept(socket));
    this.journal = openJournal(join(this.folder.logs, 'launcher.log'), clock);
    await this.trimLogs(this.folder.logs);
    this.journal({ event: 'launcher.start', pid: process.pid, port: this.port.port });
    this.file = new ConnectionFile(config.data);
    await this.file.remove();
    await rememberStart(config.data, this.options.configFile, config);
    const resolved = await this.withSimulators(this.folder.logs);
    await this.startFleet(resolved, this.folder.logs);
    // The nodes have checked the pepper, or made one with the other secrets.
    this.secrets = await openSecrets(config.data, random);
    await this.settleDemo(this.secrets);
    this.ready = true;
    const connection = this.connection();
    await this.file.write(connection);
    this.startTraffic(connection);
    const startedInMs = Math.round(clock.monotonic() - this.startedAt);
    this.journal({ event: 'launcher.ready', startedInMs, nodes: connection.nodes.length });
    return renderBanner({
      connection,
      connectionFile: connectionPath(config.data),
      data: config.data === resolve('data') ? null : config.data,
      model: await firstModel(resolved),
      startedInMs,
    });
  }

  private async trimLogs(logs: string): Promise<void> {
    await trimLogs(logs);
    if (!this.stopped) this.trimAgain = this.options.clock.after(TRIM_MS, () => void this.trimLogs(logs));
  }

  private accept(socket: Socket): void {
    if (this.fleet) this.fleet.accept(socket);
    else this.refuse(socket);
  }

  /** The configuration for the nodes: with the simulators as providers, if no others are configured. */
  private async withSimulators(logs: string): Promise<ClusterConfig> {
    const { config, entry, clock } = this.options;
    const { demo, launcher: limits } = config;
    if (!usesSimulators(config)) return config;
    this.options.progress(`starting the simulated providers (${demo.simulators})`);
    this.simulators = await startSimulators({
      count: demo.simulators,
      entry,
      logs,
      data: config.data,
      facilitatorSecret: this.facilitatorSecret,
      limits,
      clock,
      journal: this.journal,
    });
    const { providers, x402 } = this.simulators;
    return { ...config, providers, deposits: { x402, ...config.deposits } };
  }

  private async startFleet(resolved: ClusterConfig, logs: string): Promise<void> {
    const { clock, entry, config, logLevel, progress } = this.options;
    progress(`starting ${config.nodes.map(({ name }) => name).join(', ')} with their data in ${config.data}`);
    const configFile = join(config.data, 'cluster.json');
    await writeWhole(configFile, `${JSON.stringify(resolved, null, 2)}\n`);
    const starts = config.nodes.map(({ name }) => ({
      name,
      entry,
      args: ['node', '--name', name, '--config', configFile, ...(logLevel ? ['--log-level', logLevel] : [])],
      logFile: join(logs, `${name}.log`),
      ...(this.simulators === null ? {} : { env: { [FACILITATOR_SECRET]: this.facilitatorSecret } }),
    }));
    this.fleet = new Fleet({
      starts,
      limits: config.launcher,
      waitMs: config.edge.headersTimeoutMs,
      clock,
      journal: this.journal,
      refuse: this.refuse,
      changed: () => this.nodesChanged(),
      waits: (name, what) => this.nodeWaits(name, what),
      restarts: (name, reason, delayMs) => this.nodeRestarts(name, reason, delayMs),
      faulted: (name, reason, tries) => this.nodeFaulted({ name, reason, tries, log: join(logs, `${name}.log`) }),
    });
    await this.allUp(this.fleet);
  }

  /** Resolves when all nodes serve, or when some of them do after `START_MS_MAX`; rejects if none does in time. */
  private allUp(fleet: Fleet): Promise<void> {
    const { clock, config, report, progress } = this.options;
    const seen = new Set<string>();
    return new Promise((resolve, reject) => {
      let enough = config.nodes.length;
      const late = clock.after(START_MS_MAX, () => {
        const missing = config.nodes.length - fleet.running().length;
        report(`${missing} of ${config.nodes.length} nodes are not up yet; see ${config.data}/logs`);
        enough = 1;
        this.changed();
      });
      const none = clock.after(FIRST_NODE_MS_MAX, () =>
        reject(new ConfigError(`no node came up within ${FIRST_NODE_MS_MAX / 1_000} s; see ${config.data}/logs`)),
      );
      const settled = (): void => {
        late();
        none();
      };
      this.changed = () => {
        for (const { name } of fleet.running()) {
          if (!seen.has(name)) progress(`${name} serves, ${seen.add(name).size} of ${config.nodes.length}`);
        }
        if (fleet.running().length < enough) return;
        settled();
        resolve();
      };
      this.failed = (reason) => {
        settled();
        reject(reason);
      };
      fleet.start();
    });
  }

  private nodesChanged(): void {
    this.changed();
    if (!this.ready || this.stopped) return;
    this.file?.write(this.connection()).catch((error: unknown) => {
      this.options.report(`connection.json cannot be written: ${lineOf(error)}`);
    });
  }

  private nodeWaits(name: string, what: string): void {
    const now = this.options.clock.monotonic();
    if (now - (this.waitsReported.get(name) ?? Number.NEGATIVE_INFINITY) < WAITS_REPORTED_MS) return;
    this.waitsReported.set(name, now);
    this.options.report(`node ${name} drains and ${what}`);
  }

  private nodeRestarts(name: string, reason: string, delayMs: number): void {
    const when = delayMs === 0 ? 'now' : `in ${delayMs / 1_000} s`;
    this.options.report(
      `node ${name} ended (${reason}) and starts again ${when}; \`troupe logs launcher\` shows its ends`,
    );
  }

  /** Reports a node that cannot start, once; fatal only while no node has served yet. */
  private nodeFaulted(fault: { name: string; reason: string; tries: number; log: string }): void {
    const line = `node ${fault.name} does not start: ${fault.reason}; see ${fault.log}`;
    if (this.ready || (this.fleet?.running().length ?? 0) > 0) {
      if (fault.tries === 1) this.options.report(line);
    } else if (fault.tries >= START_TRIES_MAX) {
      this.failed(new ConfigError(line));
    }
  }

  /** Real providers cost money: beside them the demo account of an earlier start is closed. */
  private async settleDemo({ operatorToken }: Secrets): Promise<void> {
    const { config, random, demoAccount, report } = this.options;
    if (config.demo.enabled && config.providers.length === 0) {
      this.options.progress('opening the demo account');
      const opened = async (owner: DemoOwner): Promise<DemoKeys> => {
        const keys = await openDemoKeys(config.data, owner, random);
        await this.settled((nodes) => demoAccount.open(nodes, operatorToken, keys));
        return keys;
      };
      this.demo = await opened(DEMO);
      if (this.options.traffic) this.traffic = await opened(CUSTOMERS);
      return;
    }
    for (const owner of [DEMO, CUSTOMERS]) {
      const earlier = await readDemoKeys(config.data, owner);
      if (earlier === null) continue;
      const closed = await this.settled((nodes) => demoAccount.close(nodes, operatorToken, earlier));
      if (closed) report(`the keys of the demo account ${earlier.account} are disabled from now on`);
    }
  }

  private startTraffic({ base_url }: ConnectionInfo): void {
    if (this.traffic === null || base_url === null) return;
    const { entry, config } = this.options;
    this.customers = startCustomers({
      entry,
      logs: join(config.data, 'logs'),
      baseUrl: base_url,
      key: this.traffic.api.text,
      journal: this.journal,
    });
  }

  private async settled<T>(run: (nodes: readonly ConnectionNode[]) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await run(this.nodes());
      } catch (error) {
        if (tries >= DEMO_TRIES_MAX) {
          throw new ConfigError(
            `the demo account cannot be opened or closed (${lineOf(error)}); see ${this.options.config.data}/logs`,
          );
        }
      }
    }
  }

  private nodes(): readonly ConnectionNode[] {
    return (this.fleet?.running() ?? []).map(({ name, pid, grpc, operatorUrl }) => ({
      name,
      pid,
      grpc,
      operator_url: operatorUrl,
      ...this.tlsOf(name),
    }));
  }

  private connection(): ConnectionInfo {
    const { host } = this.options.config.listen;
    const nodes = this.nodes();
    return {
      base_url: baseUrl(host, this.port?.port ?? 0),
      api_key: this.demo?.api.text ?? null,
      management_key: this.demo?.management.text ?? null,
      customers_management_key: this.traffic?.management.text ?? null,
      operator_url: nodes[0]?.operator_url ?? null,
      operator_token: this.secrets?.operatorToken ?? '',
      nodes,
    };
  }

  private tlsOf(name: string): { readonly tls?: TlsConfig } {
    const tls = this.options.config.nodes.find((node) => node.name === name)?.tls;
    return tls ? { tls } : {};
  }

  /** The configuration that the nodes were started with last: `troupe reload-config` writes a new one. */
  private async nodesConfig(): Promise<ClusterConfig> {
    const { config } = this.options;
    const text = await readFile(join(config.data, 'cluster.json'), 'utf8').catch(() => null);
    return text === null ? config : (JSON.parse(text) as ClusterConfig);
  }

  private async close(): Promise<void> {
    this.failed(new ConfigError('stopped before the cluster was up'));
    this.trimAgain();
    this.port?.close();
    this.customers?.stop();
    await this.fleet?.stop(stopMs(await this.nodesConfig()));
    await this.simulators?.stop(SIMULATOR_STOP_MS);
    await this.file?.remove();
    this.journal({ event: 'launcher.stop', pid: process.pid });
    await this.folder?.release();
  }
}

/**
 * How long draining nodes are given before they are killed, unless they report what they wait for. Turns and activities have their graces at the same time.
 */
export function stopMs({ edge, activities }: Pick<ClusterConfig, 'edge' | 'activities'>): number {
  return Math.max(edge.drainGraceMs, activities.graceMs) + STOP_SLACK_MS;
}

/** How often the wait of a draining node is reported. */
const WAITS_REPORTED_MS = 30_000;
/** A node that ends this often before it serves will not come up. */
const START_TRIES_MAX = 2;

/** For the banner only. The nodes load the document themselves and may refuse it. */
async function firstModel({ providers: [first] }: ClusterConfig): Promise<string | null> {
  try {
    const models = typeof first?.models === 'string' ? JSON.parse(await readFile(first.models, 'utf8')) : first?.models;
    const { id, slug } = models.data[0] as { readonly id: string; readonly slug?: string };
    return slug ?? id;
  } catch {
    return null;
  }
}
