import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, creditDeposit } from '../../../actors/account/account.ts';
import type { NewKey } from '../../../actors/key/changes.ts';
import { createKey } from '../../../actors/key/key.ts';
import { systemRandom } from '../../../actors/runtime/index.ts';
import {
  accountAddress,
  accountId,
  depositId,
  keyAddress,
  keyDigest,
  keyHandle,
  keyId,
  keyText,
  maskKey,
} from '../../../actors/terms/ids.ts';
import defaults from '../../../cluster.config.ts';
import { type NodeHandle, runNode } from '../../../gateway/main.ts';
import type { NodePorts } from '../../../gateway/node/node-options.ts';
import { readPepper } from '../../../gateway/operator/config/secrets.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import type { CheckLimits } from '../../../gateway/terms/config/check-limits.ts';
import type {
  ActivityLimits,
  ClusterConfig,
  EdgeLimits,
  EventLimits,
  OverloadLimits,
  RateLimits,
  RuntimeLimits,
  SignInLimits,
  UpstreamLimits,
  WebhookLimits,
  WorkspaceConfig,
} from '../../../gateway/terms/config/config.ts';
import type { DepositConfig } from '../../../gateway/terms/config/deposit-config.ts';
import type { RenderLimits } from '../../../gateway/terms/config/render-limits.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import type { TracingConfig } from '../../../gateway/terms/tracing.ts';
import { paced } from '../pace.ts';
import { simulatedProvider } from '../provider/simulated-provider.ts';
import { watchFetch } from '../stream/watched-fetch.ts';
import { TESTER } from '../tester.ts';

export interface ClusterOptions {
  /** Number of nodes, all in this process over one SQLite file. */
  readonly nodes?: number;
  readonly edge?: Partial<EdgeLimits>;
  readonly activities?: Partial<ActivityLimits>;
  readonly events?: Partial<EventLimits>;
  readonly rates?: Partial<RateLimits>;
  readonly signIn?: Partial<SignInLimits>;
  /** By default nothing is refused for overload and no job waits for live requests, however slow the machine is. */
  readonly overload?: Partial<OverloadLimits>;
  readonly upstream?: Partial<UpstreamLimits>;
  /** Disabled by default, because many tests count their own provider calls. */
  readonly checks?: Partial<CheckLimits>;
  readonly runtime?: Partial<RuntimeLimits>;
  readonly workspace?: Partial<WorkspaceConfig>;
  readonly webhooks?: Partial<WebhookLimits>;
  readonly renders?: Partial<RenderLimits>;
  readonly tracing?: TracingConfig;
  readonly deposits?: Partial<DepositConfig>;
  /** Variables of every node. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kinds and activities in addition to the product's own. */
  readonly ports?: Pick<NodePorts, 'kinds' | 'activities'>;
  /** Receives what a draining node waits for beyond the usual graces. */
  readonly onWaiting?: (what: string) => void;
  /** Slugs of the simulated providers; absent: the two with identical chat models. */
  readonly simulators?: readonly string[];
  /** In addition to the simulated ones. */
  readonly providers?: readonly ProviderDeclaration[];
}

export interface Funded {
  readonly account: string;
  readonly key: string;
  readonly keyAddress: string;
}

/**
 * A whole cluster inside one test: real nodes, real store, real HTTP on loopback, simulated providers. Every answer
 * read with `fetch` is checked against the grammar of its wire; `close` throws for violations.
 */
export interface TestCluster {
  readonly nodes: readonly NodeHandle[];
  /** `http://host:port/api/v1`, one per node. */
  readonly baseUrls: readonly string[];
  readonly simulators: readonly Simulator[];
  readonly folder: string;
  /** Creates an account with this deposit and an inference key. */
  fund(amount?: string, key?: Partial<NewKey>): Promise<Funded>;
  /** Creates another key of an account. */
  issue(account: string, key?: Partial<NewKey>): Promise<{ readonly key: string; readonly keyAddress: string }>;
  close(): Promise<void>;
}

const SIMULATORS = ['sim-a', 'sim-b'] as const;
const slugsOf = ({ simulators = SIMULATORS }: ClusterOptions): readonly string[] => simulators;
const UNHURRIED = { waitingMax: 100_000, standingWaitingMax: 100_000, jobsPerSecondMin: 1_000, restFactor: 1 };
const ASK_MS = 10_000;
/** Fewer than in the product let three nodes agree on the owners faster. */
export const SHARDS = 32;
const TEST_RUNTIME = { shards: SHARDS, ballastBytes: 1024 * 1024 };
const HEARTBEAT_MS = 100;

/**
 * The times by which nodes judge each other and themselves. All nodes share this process and its event loop, so a slow
 * machine stalls all of them at once, and no test of an API is about that.
 */
function membershipTimes(): Partial<RuntimeLimits> {
  const { heartbeatMs, reachableMs, voteOutMs, staleMs, readLeaseMs } = defaults.runtime;
  return {
    heartbeatMs: Math.min(heartbeatMs, paced(HEARTBEAT_MS)),
    reachableMs: paced(reachableMs),
    voteOutMs: paced(voteOutMs),
    staleMs: paced(staleMs),
    readLeaseMs: paced(readLeaseMs),
  };
}

export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const cluster = await startUnwatched(options);
  const watch = watchFetch(cluster.origins);
  return {
    ...cluster,
    async close() {
      await cluster.close();
      await watch.end();
    },
  };
}

/** The same without the watch on its answers, for callers that watch each of its users separately. */
export async function startUnwatched(
  options: ClusterOptions = {},
): Promise<TestCluster & { readonly origins: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-api-'));
  const simulators = await Promise.all(slugsOf(options).map((name) => startSimulator({ name, keep: true })));
  const config = configOf(folder, simulators, options);
  const nodes: NodeHandle[] = [];
  // Sequential, because starting nodes share the event loop of this process.
  for (const { name } of config.nodes)
    nodes.push(
      await runNode({
        config,
        name,
        env: options.env ?? {},
        ...(options.onWaiting && { onWaiting: options.onWaiting }),
        ports: { logLevel: 'silent', exit: () => {}, ...options.ports },
      }),
    );
  await Promise.all(nodes.map((node) => node.ready));
  const origins = await Promise.all(nodes.map((node) => node.listen('127.0.0.1', 0)));
  const [first] = nodes;
  if (!first) throw new Error('a cluster needs a node');
  const pepper = await readPepper(folder);

  const issue = async (account: string, key: Partial<NewKey> = {}) => {
    const text = keyText(systemRandom);
    const address = keyAddress(account.slice('account:'.length), keyId(systemRandom));
    const made: NewKey = {
      digest: keyDigest(pepper, text),
      handle: keyHandle(text),
      label: maskKey(text),
      name: 'test',
      kind: 'inference',
      limit: null,
      limitWindow: null,
      expiresAt: null,
      perMinute: null,
      by: TESTER,
      ...key,
    };
    await createKey(first.cluster, address, made, paced(ASK_MS));
    return { key: text, keyAddress: address };
  };
  return {
    nodes,
    origins,
    baseUrls: origins.map((origin) => `${origin}/api/v1`),
    simulators,
    folder,
    issue,
    async fund(amount = '100', key = {}) {
      const account = accountAddress(accountId(systemRandom));
      await createAccount(first.cluster, account, 'test', paced(ASK_MS));
      await creditDeposit(first.cluster, account, { id: depositId(systemRandom), amount, by: TESTER }, paced(ASK_MS));
      return { account, ...(await issue(account, key)) };
    },
    async close() {
      await Promise.all(nodes.map((node) => node.drain()));
      await Promise.all(simulators.map((simulator) => simulator.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configOf(data: string, simulators: readonly Simulator[], options: ClusterOptions): ClusterConfig {
  return {
    ...defaults,
    data,
    nodes: Array.from({ length: options.nodes ?? 1 }, (_, i) => ({
      name: `t${i + 1}`,
      grpc: '127.0.0.1:0',
      operator: '127.0.0.1:0',
    })),
    // Idle connections are closed at once, because no client remains at the end of a test.
    events: { ...defaults.events, ...options.events },
    edge: { ...defaults.edge, drainIdleMs: 1, drainGraceMs: 5_000, ...options.edge },
    activities: { ...defaults.activities, ...options.activities },
    // On a slow machine the burst of a test would be an overload.
    overload: { ...defaults.overload, ...UNHURRIED, ...options.overload },
    rates: { ...defaults.rates, ...options.rates },
    signIn: { ...defaults.signIn, ...options.signIn },
    upstream: { ...defaults.upstream, ...options.upstream },
    checks: { ...defaults.checks, enabled: false, ...options.checks },
    runtime: { ...defaults.runtime, ...TEST_RUNTIME, ...membershipTimes(), ...options.runtime },
    workspace: { ...defaults.workspace, ...options.workspace },
    webhooks: { ...defaults.webhooks, ...options.webhooks },
    renders: { ...defaults.renders, ...options.renders },
    tracing: options.tracing ?? defaults.tracing,
    deposits: { ...defaults.deposits, ...options.deposits },
    providers: simulators
      .map((simulator, i) => simulatedProvider(slugsOf(options)[i] as string, simulator.baseUrl))
      .concat(options.providers ?? []),
  };
}
