/** The nodes of a launched cluster, by name: signals, asks through each of them, and what the launcher and they recorded. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ActorEvent, type ClusterView, type Json, shardOf } from '../../../actors/runtime/index.ts';
import config from '../../../cluster.config.ts';
import { isAlive } from '../../../gateway/operator/launcher/process-state.ts';
import { storeDatabase } from '../auditor/store-database.ts';
import { storeFile } from '../auditor/store-file.ts';
import type { StoreView } from '../auditor/store-view.ts';
import { callOperator } from '../operator-calls.ts';
import { paced } from '../pace.ts';
import { buildFirst } from './build-first.ts';
import { type Connection, LaunchedCluster } from './launched-cluster.ts';

/** The launcher leaves stopped and silent nodes alone, so that they resume, and restarts no node before its peers vote. */
const PATIENT = { stoppedKillMs: 300_000, silentKillMs: 300_000, storeBusyKillMs: 300_000, restartDelayMs: 1_000 };
const READY_MS = 1_000;
/** Beside the time of an ask. */
const CALL_MS = 10_000;
/** A look at the journal reads the whole file. */
const LOOK_MS = 50;
const MIB = 1024 * 1024;
/** `troupe-with-test-kinds.mjs` answers it with a line in the log of the node. */
const WEIGH_SIGNAL = 'SIGPWR';
const WEIGHED = 'weighed';

/** One life of a node. */
type LaunchedNode = Connection['nodes'][number];

/** An answer, or why there is none. */
type Answered = { readonly body: Json } | { readonly error: string };

interface LaunchedNodesOptions {
  readonly names: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: one SQLite file. */
  readonly postgresUrl?: string;
  /** How long a draining node waits for its activities. Default: the product's. */
  readonly activityGraceMs?: number;
}

export class LaunchedNodes {
  readonly names: readonly string[];
  readonly #cluster: LaunchedCluster;
  readonly #store: StoreView;
  /** The life of each node that the test means, until `restarted`. */
  readonly #lives = new Map<string, LaunchedNode>();

  private constructor(names: readonly string[], cluster: LaunchedCluster, store: StoreView) {
    [this.names, this.#cluster, this.#store] = [names, cluster, store];
    for (const node of cluster.connection()?.nodes ?? []) this.#lives.set(node.name, node);
  }

  static async start({
    names,
    env = {},
    postgresUrl,
    activityGraceMs: graceMs = config.activities.graceMs,
  }: LaunchedNodesOptions): Promise<LaunchedNodes> {
    const laid = {
      nodes: names.map((name) => ({ name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0' })),
      launcher: PATIENT,
      demo: { enabled: false, simulators: 0 },
      activities: { graceMs },
      ...(postgresUrl === undefined ? {} : { store: { kind: 'postgres', url: postgresUrl } }),
    };
    await buildFirst();
    const cluster = await LaunchedCluster.start(laid, { env, testKinds: true });
    const store = postgresUrl === undefined ? storeFile(join(cluster.data, 'troupe.db')) : storeDatabase(postgresUrl);
    // On a slow machine a node may leave again, and be replaced, while the others start.
    const listed = (name: string): boolean => cluster.connection()?.nodes.some((node) => node.name === name) ?? false;
    while (!names.every(listed)) await pause(LOOK_MS);
    return new LaunchedNodes(names, cluster, store);
  }

  node(name: string): LaunchedNode {
    const life = this.#lives.get(name);
    if (life === undefined) throw new Error(`there is no ${name}`);
    return life;
  }

  ps(name: string): Promise<ClusterView> {
    return callOperator<ClusterView>(this.node(name), this.#token, '/api/cluster');
  }

  /** Over a route that the build with the test kinds adds. */
  async ask(name: string, to: string, event: ActorEvent, withinMs: number): Promise<Answered> {
    const body = { to, event, withinMs };
    const call = { body, withinMs: withinMs + CALL_MS };
    try {
      return await callOperator<Answered>(this.node(name), this.#token, '/api/test/ask', call);
    } catch (error) {
      return { error: `no answer from ${name}: ${String(error)}` };
    }
  }

  signal(name: string, signal: NodeJS.Signals): void {
    process.kill(this.node(name).pid, signal);
  }

  /** Which of these addresses the node owns according to the store. */
  async owned(name: string, addresses: readonly string[]): Promise<readonly string[]> {
    const { nodes, shards } = await this.#store.owners();
    const { pid } = this.node(name);
    const owners = new Map(shards.map(({ shard, owner }) => [shard, owner === null ? null : nodes.get(owner)?.pid]));
    return addresses.filter((address) => owners.get(shardOf(address, config.runtime.shards)) === pid);
  }

  /** True while the node serves, which needs a valid read lease. */
  async serves(name: string): Promise<boolean> {
    try {
      const response = await fetch(`${this.node(name).operator_url}/ready`, {
        signal: AbortSignal.timeout(paced(READY_MS)),
      });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }

  /** Resolves with the exit code once this life of the node has ended; null for a signal. */
  async ended(name: string): Promise<number | null> {
    const { pid } = this.node(name);
    for (;;) {
      const end = this.#journal().find((entry) => entry.event === 'node.end' && entry.pid === pid);
      if (end) return end.code as number | null;
      await pause(LOOK_MS);
    }
  }

  /** Waits until this life has ended and the launcher has started the next one, which serves. */
  async restarted(name: string): Promise<void> {
    await this.ended(name);
    const { pid } = this.node(name);
    for (;;) {
      const next = this.#cluster.connection()?.nodes.find((node) => node.name === name && node.pid !== pid);
      if (next) {
        this.#lives.set(name, next);
        return;
      }
      await pause(LOOK_MS);
    }
  }

  /** Deaths that the nodes voted, from their logs: which node marked which dead, and why. */
  verdicts(): readonly string[] {
    return this.names.flatMap((name) =>
      lines(this.#log(name))
        .filter(({ msg }) => msg === 'node marked dead')
        .map(({ why }) => `${name}: ${why}`),
    );
  }

  /**
   * What the process holds after a collection, MiB: objects and buffers. Its resident memory would also count garbage,
   * of which the collector leaves some 100 MiB while buffers come and go.
   */
  async heldMib(name: string): Promise<number> {
    const known = this.#weights(name).length;
    this.signal(name, WEIGH_SIGNAL);
    for (;;) {
      const bytes = this.#weights(name)[known];
      if (bytes !== undefined) return bytes / MIB;
      await pause(LOOK_MS);
    }
  }

  async close(): Promise<void> {
    // A stopped process would outlast the launcher's drain. One that has just ended is still listed.
    const listed = this.#cluster.connection()?.nodes ?? [];
    for (const { pid } of listed) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    await this.#store.close();
    await this.#cluster.stop();
  }

  get #token(): string {
    return this.#cluster.connection()?.operator_token ?? '';
  }

  #weights(name: string): readonly number[] {
    const written = lines(this.#log(name)).filter(({ msg }) => msg === WEIGHED);
    return written.map(({ bytes }) => bytes as number);
  }

  #log(name: string): string {
    return join(this.#cluster.data, 'logs', `${name}.log`);
  }

  #journal(): readonly Record<string, unknown>[] {
    return lines(join(this.#cluster.data, 'logs', 'launcher.log'));
  }
}

/** The whole lines of a log; other output in between is left out. */
function lines(file: string): readonly Record<string, unknown>[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
