import { kindsWith } from '../../actors/kinds.ts';
import type { ByteAccess, Cluster } from '../../actors/runtime/index.ts';
import type { NodeParts } from '../../actors/runtime/node.ts';
import { type DeclareUntilListedParts, declareUntilListed } from '../catalogue/declare/declare-until-listed.ts';
import { Prober } from '../catalogue/declare/prober.ts';
import { Refresher } from '../catalogue/declare/refresher.ts';
import { Benchmarker } from '../checks/benchmarker.ts';
import { Checker, type CheckerParts } from '../checks/checker.ts';
import { FileRoom } from '../files/file-services.ts';
import { openInference } from '../inference/inference.ts';
import { Targets } from '../inference/provider-calls.ts';
import { Outcomes } from '../inference/reports/outcomes.ts';
import { lineHandler } from '../jobs/batch/run-line.ts';
import { resultsHandler } from '../jobs/batch/write-results.ts';
import { Facilitator } from '../jobs/deposits/facilitator.ts';
import { type PaymentServices, settleHandler } from '../jobs/deposits/settle.ts';
import { EarningsFolder } from '../jobs/earnings/earnings-folder.ts';
import type { LineServices, RenderServices, ResultsServices } from '../jobs/job-services.ts';
import { abortHandler } from '../jobs/video/abort-handler.ts';
import { renderHandler } from '../jobs/video/render-handler.ts';
import { removalHandler } from '../jobs/video/store-clip.ts';
import { deliverHandler, type WebhookServices } from '../jobs/webhook/deliver.ts';
import { ChainSweep } from '../management/retention/chain-sweep.ts';
import { ExportFolder } from '../management/retention/export-folder.ts';
import { AlarmWatch } from '../operator/alarm-watch.ts';
import { ConfigError } from '../operator/config/config-error.ts';
import type { LiveProviderKeys } from '../operator/config/provider-keys.ts';
import type { Secrets } from '../operator/config/secrets.ts';
import { Pools } from '../outbound/pools.ts';
import { PublicClient } from '../outbound/public-client.ts';
import { Background } from '../overload/background.ts';
import { JobPace } from '../overload/job-pace.ts';
import { modelListOf } from '../providers/call/target.ts';
import { STANDARD_LIST } from '../providers/model-list.ts';
import { Workspaces } from '../routing/workspaces.ts';
import type { ClusterConfig } from '../terms/config/config.ts';
import type { LogRecord } from '../terms/log-record.ts';
import type { ServingState } from '../terms/serving-state.ts';
import { logHealth } from './health-log.ts';
import type { NodeContext } from './node-options.ts';
import { type Edge, type EdgeParts, openEdge } from './open-edge.ts';

/** Dependencies of the gateway of a node, beside its context. */
interface OpenGatewayParts {
  readonly cluster: Cluster;
  readonly secrets: Secrets;
  readonly keys: LiveProviderKeys;
  readonly bytes: ByteAccess;
  readonly storeFull: () => boolean;
  readonly readiness: () => ServingState;
}

/** Everything between a socket and a provider: edge, inference, catalogue and the HTTP client. */
export interface Gateway {
  readonly edge: Edge;
  readonly outbound: Pools;
  readonly refresher: Refresher;
  readonly jobs: LineServices & RenderServices & ResultsServices;
  readonly webhooks: WebhookServices;
  readonly payments: PaymentServices;
  /** Declares the configured providers. Resolves when the board lists them, or when `givenUp` answers true. */
  declare(givenUp: () => boolean): Promise<void>;
  /** Starts and stops the periodic tasks: probes, document refreshes and checks. */
  start(): void;
  stop(): void;
  /** Resolves when every hold of this node is settled or released. */
  settled(): Promise<void>;
}

/** Opens the gateway of a node that is a member of its cluster. It accepts nothing until the edge receives sockets. */
export function openGateway(
  context: NodeContext,
  { cluster, secrets, keys, bytes, storeFull, readiness }: OpenGatewayParts,
): Gateway {
  const { options, clock, random, log } = context;
  const { config, env } = options;
  const { upstream, providers } = config;
  const crashPoint = armCrashPoint(env.TROUPE_CRASHPOINT, () => process.kill(process.pid, 'SIGKILL'));
  const outbound = new Pools({ clock, lease: cluster, ...upstream });
  const fileRoom = new FileRoom(config.files.heldBytesMax, clock);
  const workspaces = new Workspaces(cluster, clock, config);
  const shared = { outbound, fileRoom, workspaces, crashPoint };
  const jobs = jobsOf(context, { cluster, keys, bytes, storeFull }, shared);
  const { inference, files, targets, outcomes } = jobs;
  const parts: CallingParts = { cluster, clock, outbound, upstream, keys };
  const refresher = new Refresher({ ...parts, random, providers, log });
  const { lowDiskBytes } = config.operator;
  const periodic = [
    keys,
    refresher,
    new AlarmWatch({ cluster, clock, lowDiskBytes, askMs: upstream.askMs, log }),
    ...watchersOf(parts, targets, config, log),
    chainSweepOf(context, { cluster, crashPoint }),
  ];
  if (crashPoint !== null) watchCommits(cluster, crashPoint);
  let endHealthLog = (): void => {};
  const edge = openEdge(context, {
    cluster,
    inference,
    files,
    fileRoom,
    workspaces,
    storeFull,
    readiness,
    crashPoint: crashPoint ?? undefined,
    pepper: secrets.pepper,
    refreshModels: (slug) => refresher.begin(slug),
    requestLog: requestLogOf(log),
  });
  return {
    edge,
    outbound,
    refresher,
    jobs,
    webhooks: {
      cluster,
      random,
      pepper: secrets.pepper,
      client: new PublicClient({ clock, lease: cluster, rules: config.webhooks, ...config.webhooks }),
      crashpoint: crashPoint ?? (() => {}),
      log: (record, message) => log.info(record, message),
    },
    payments: paymentsOf(context, { cluster, outbound, crashPoint }),
    declare: (givenUp) => declareUntilListed({ ...parts, providers, log, givenUp }),
    start: () => {
      for (const task of periodic) task.start();
      endHealthLog = logHealth({ board: cluster.board, owns: (address) => cluster.owns(address) }, clock, log);
    },
    stop: () => {
      for (const task of periodic) task.stop();
      endHealthLog();
    },
    settled: async () => {
      await inference.holds.pending.idle();
      outcomes.flush();
    },
  };
}

/** What calls a provider without a turn. */
type CallingParts = Omit<DeclareUntilListedParts, 'givenUp' | 'log' | 'providers'>;

/** What watches endpoints beside their turns, from time to time: probes, checks, benchmarks, earnings of the day. */
function watchersOf(parts: CallingParts, targets: Targets, config: ClusterConfig, log: NodeContext['log']) {
  const { cluster, clock, upstream } = parts;
  const checked: Omit<CheckerParts, 'limits'> = {
    ...parts,
    targetOf: (endpoint) => targets.of(endpoint),
    log: ({ message, ...record }) => log.warn(record, message),
  };
  return [
    new Prober({
      ...parts,
      credentialsOf: (endpoint) => targets.credentials(endpoint),
      modelsPathOf: (endpoint) => (modelListOf(endpoint) ?? STANDARD_LIST).path,
      log,
    }),
    new Checker({ ...checked, limits: config.checks }),
    new Benchmarker({ ...checked, limits: config.benchmarks }),
    new EarningsFolder({ cluster, clock, providers: config.providers, log, askMs: upstream.askMs }),
  ];
}

function chainSweepOf(
  { options, clock, log }: NodeContext,
  { cluster, crashPoint }: { readonly cluster: Cluster } & Pick<SharedParts, 'crashPoint'>,
): ChainSweep {
  const { retention, upstream } = options.config;
  const crashpoint = crashPoint ?? (() => {});
  const writer = `${options.name}.months`;
  const folder = retention.export === null ? null : new ExportFolder(retention.export, writer, crashpoint);
  return new ChainSweep({ cluster, clock, retention, folder, crashpoint, askMs: upstream.askMs, log });
}

/** What the edge and the jobs of a node use both. */
interface SharedParts {
  readonly outbound: Pools;
  readonly fileRoom: FileRoom;
  readonly workspaces: Workspaces;
  readonly crashPoint: ((name: string) => void) | null;
}

/** The inference of a node, and what performs its activities. */
function jobsOf(
  { options, clock, random, log, overload, measures, flights, loopBusyMs }: NodeContext,
  { cluster, keys, bytes, storeFull }: Omit<OpenGatewayParts, 'secrets' | 'readiness'>,
  { outbound, fileRoom, workspaces, crashPoint }: SharedParts,
): Gateway['jobs'] & { readonly targets: Targets } {
  const { config } = options;
  const { upstream } = config;
  overload.live.shareOver(cluster.board, options.name);
  const sharing = { clock, limits: config.overload, live: overload.live, busyMs: loopBusyMs };
  const background = new Background(sharing);
  const files = { cluster, bytes, clock, random, limits: config.files, background, askMs: upstream.askMs };
  const shared = {
    files,
    outbound,
    targets: new Targets(keys),
    flights,
    outcomes: new Outcomes(cluster, clock),
    measures,
    log: ({ level, message, ...record }: LogRecord): void => log[level](record, message),
  };
  const streamShares = overload.streams;
  return {
    ...shared,
    inference: openInference({ ...shared, fileRoom, workspaces, config, keys, storeFull, streamShares }),
    pace: new JobPace({ ...sharing, overload }),
    limits: config.edge,
    renders: config.renders,
    upstream,
    crashpoint: crashPoint ?? (() => {}),
  };
}

/** Written at any log level: whoever wants fewer lines leaves the log off. */
function requestLogOf(log: NodeContext['log']): EdgeParts['requestLog'] {
  const lines = log.child({}, { level: 'info' });
  return (line) => lines.info(line, 'request');
}

/** An empty secret of the facilitator is refused where the configuration is loaded, and here once more. */
function paymentsOf(
  { options, log }: NodeContext,
  { cluster, outbound, crashPoint }: { cluster: Cluster; outbound: Pools; crashPoint: ((name: string) => void) | null },
): PaymentServices {
  const { x402, payments: limits } = options.config.deposits;
  const secret = x402 === undefined ? '' : (options.env[x402.secretEnv] ?? '');
  if (x402 !== undefined && secret === '') {
    throw new ConfigError(`${x402.secretEnv}, the secret of the facilitator, is not set or empty`);
  }
  return {
    cluster,
    facilitator: x402 === undefined ? null : new Facilitator({ outbound, x402, secret, limits }),
    crashpoint: crashPoint ?? (() => {}),
    log: (record, message) => log.warn(record, message),
  };
}

/**
 * The kinds of actor of one node, and the handlers of the activities that their charts perform. Activities begin once
 * the node serves: the gateway is open then.
 */
export function openJobs(
  { options }: NodeContext,
  gateway: () => Pick<Gateway, 'outbound' | 'jobs' | 'webhooks' | 'payments'>,
): Required<Pick<NodeParts, 'kinds' | 'activities' | 'activityGraceMs'>> {
  const { config, ports = {} } = options;
  return {
    kinds: [...kindsWith(config.retention), ...(ports.kinds ?? [])],
    activities: {
      line: lineHandler(() => gateway().jobs),
      results: resultsHandler(() => gateway().jobs),
      deliver: deliverHandler(() => gateway().webhooks, config.webhooks),
      settle: settleHandler(() => gateway().payments, config.deposits.payments),
      removal: removalHandler(() => gateway().jobs.files.bytes.blobs),
      render: renderHandler(() => gateway().jobs, config.renders),
      abort: abortHandler(() => gateway().jobs, config.renders),
      ...ports.activities?.(() => gateway().outbound),
    },
    activityGraceMs: config.activities.graceMs,
  };
}

/** The crash points that lie after a commit of an actor: by kind, and by the event whose step was committed. */
const POINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  batch: {
    'batch.submit': 'batch.accept.committed',
    'line.done': 'line.settled',
    'results.done': 'batch.final',
  },
  'video-job': {
    'job.submit': 'vjob.accepted',
    'render.begin': 'vjob.dispatched',
    'render.submitted': 'vjob.submitted',
    'render.done': 'vjob.charged',
  },
  webhook: { 'deliver.done': 'hook.recorded' },
  'issuance-code': { 'code.trade': 'authcode.consumed' },
  payment: { 'settle.done': 'payment.settled', 'payment.credited': 'payment.credited' },
};

/** Reports these commits of this node. Only nodes with an armed crash point watch. */
export function watchCommits(cluster: Cluster, crashpoint: (name: string) => void): void {
  for (const [kind, points] of Object.entries(POINTS)) {
    cluster.operator.watch(`${kind}:*`, ({ node, event }) => {
      const point = points[event];
      if (point !== undefined && node === cluster.self.name) crashpoint(point);
    });
  }
}

/**
 * Arms one crash point of a request: `name`, or `name:n` for its n-th occurrence. Calls `kill` there, once. Null if
 * none is armed, so that the unarmed path costs nothing. Only chaos tests arm one.
 */
function armCrashPoint(armed: string | undefined, kill: () => void): ((name: string) => void) | null {
  const [wanted, at = '1'] = (armed ?? '').split(':');
  if (!wanted) return null;
  let left = Number(at);
  return (name) => {
    if (name === wanted && --left === 0) kill();
  };
}
