import { ENDPOINTS_TOPIC } from '../../actors/endpoint/endpoint.ts';
import {
  type ActorEvent,
  AskError,
  type AskFailure,
  type Clock,
  type Cluster,
  type Json,
  systemClock,
} from '../../actors/runtime/index.ts';
import type { HoldRequest, Release, Settlement } from '../../actors/terms/hold.ts';
import config from '../../cluster.config.ts';
import { chatDialect } from '../../gateway/dialects/chat/chat-dialect.ts';
import { FileRoom, type FileServices } from '../../gateway/files/file-services.ts';
import { type Inference, openInference } from '../../gateway/inference/inference.ts';
import { Targets } from '../../gateway/inference/provider-calls.ts';
import { Outcomes } from '../../gateway/inference/reports/outcomes.ts';
import type { AbortNotice, TurnRequest } from '../../gateway/inference/turn-request.ts';
import { Flights } from '../../gateway/inflight/flights.ts';
import type { LineServices, RenderServices } from '../../gateway/jobs/job-services.ts';
import type { Outbound } from '../../gateway/outbound/outbound.ts';
import { Pools } from '../../gateway/outbound/pools.ts';
import { StreamShares } from '../../gateway/overload/stream-shares.ts';
import { Affinity } from '../../gateway/routing/affinity.ts';
import { plan } from '../../gateway/routing/plan.ts';
import { configuredRouting, Workspaces } from '../../gateway/routing/workspaces.ts';
import type { UpstreamLimits } from '../../gateway/terms/config/config.ts';
import type { RenderLimits } from '../../gateway/terms/config/render-limits.ts';
import type { LogRecord } from '../../gateway/terms/log-record.ts';
import { type Measures, NO_MEASURES } from '../../gateway/terms/measures.ts';
import { MemoryBoard } from '../support/memory-board.ts';
import { type MemoryFiles, memoryFiles } from '../support/memory-files.ts';
import '../support/prompt-sizes.ts';

export interface SentEvent {
  readonly to: string;
  readonly event: ActorEvent & {
    readonly request?: HoldRequest;
    readonly settlement?: Settlement;
    readonly release?: Release;
  };
}

/** The answer of the actors; throw to fail the ask. */
export type Answers = (sent: SentEvent, nth: number) => Json;

/** Grants every hold and every settle. */
export function generous({ event }: SentEvent): Json {
  if (event.request) {
    const { generation, attempt, amount } = event.request as unknown as HoldRequest;
    return { admitted: true, generation, attempt, amount };
  }
  if (event.settlement) {
    const { generation, cost } = event.settlement as unknown as Settlement;
    return { generation, cost, late: false };
  }
  return { generation: (event.release as unknown as Release).generation, status: 'released' };
}

export function failing(failure: AskFailure): never {
  throw new AskError('key:acct_1/key_1', failure);
}

export interface Stage extends MemoryFiles {
  readonly services: Inference;
  readonly cluster: Cluster;
  readonly affinity: Affinity;
  readonly jobs: NodeServices;
  readonly asks: SentEvent[];
  readonly tells: SentEvent[];
  readonly crashpoints: string[];
  readonly logs: object[];
  request(body: object, endpoints: ReadonlyMap<string, Json>, signal?: AbortNotice): TurnRequest;
  end(): Promise<void>;
}

export interface StageOptions {
  readonly upstream?: Partial<UpstreamLimits>;
  readonly renders?: Partial<RenderLimits>;
  readonly answers?: Answers;
  /** The board's endpoints for `startTurn`. */
  readonly endpoints?: ReadonlyMap<string, Json>;
  readonly measures?: Measures;
  /** Absent: real time. */
  readonly clock?: Clock;
  /** Absent: jobs begin at once. */
  readonly pace?: NodeServices['pace'];
}

/** One gateway on a fake cluster that returns the given answers and records every ask, with its bytes in memory. */
export function stage(options: StageOptions = {}): Stage {
  const asks: SentEvent[] = [];
  const tells: SentEvent[] = [];
  const crashpoints: string[] = [];
  const logs: object[] = [];
  const { answers = generous, clock = systemClock } = options;
  const cluster = {
    self: { name: 'n1', incarnation: 'inc_1', birth: 1, address: '' },
    ask: async (to: string, event: ActorEvent) => {
      const sent = { to, event } as SentEvent;
      asks.push(sent);
      await Promise.resolve();
      return answers(sent, asks.length);
    },
    tell: (to: string, event: ActorEvent) => void tells.push({ to, event } as SentEvent),
    now: () => Date.now(),
    board: new MemoryBoard({ [ENDPOINTS_TOPIC]: options.endpoints ?? new Map() }),
  };
  const bytes = memoryFiles(clock);
  const { connectMs } = { ...config.upstream, ...options.upstream };
  const outbound = new Pools({ clock, lease: { connected: true }, connectionsPerOriginMax: 64, connectMs });
  const jobs = nodeServices({
    ...options,
    files: bytes.filesOf(cluster),
    outbound,
    // As a node that has just read them.
    workspaces: { routingOf: () => configuredRouting(config) },
    crashpoint: (name) => crashpoints.push(name),
    log: (record) => logs.push(record),
  });
  let generation = 0;
  return {
    ...bytes,
    services: jobs.inference,
    cluster: jobs.files.cluster,
    affinity: new Affinity(jobs.files.cluster.board),
    jobs,
    asks,
    tells,
    crashpoints,
    logs,
    request: (body, endpoints, signal) => {
      const chat = { model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }], ...body };
      const { turn, reply } = chatDialect.parse(chat, null);
      return {
        generation: `gen-${++generation}`,
        turn,
        reply,
        bytes: JSON.stringify(body).length,
        plan: plan({ ...turn, preferences: { ...turn.preferences, sort: 'price' } }, endpoints, 0.5),
        caller: { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' },
        attribution: { appTitle: null, appUrl: null },
        startedAt: clock.monotonic(),
        signal,
        crashPoint: (name) => crashpoints.push(name),
      };
    },
    end: async () => {
      await jobs.inference.holds.pending.idle();
      jobs.outcomes.flush();
      await outbound.close();
    },
  };
}

/** What the activities of one node perform with. */
export type NodeServices = Omit<LineServices & RenderServices, 'crashpoint'> & {
  readonly crashpoint: (name: string) => void;
};

interface NodeParts extends Pick<StageOptions, 'upstream' | 'renders' | 'measures' | 'pace'> {
  /** With the cluster, the clock and the chance of the node. */
  readonly files: FileServices;
  readonly outbound: Outbound;
  /** Absent: read from the cluster. */
  readonly workspaces?: Pick<Workspaces, 'routingOf'>;
  readonly crashpoint?: (name: string) => void;
  readonly log?: (record: LogRecord) => void;
}

/** Inference and jobs of one node, which wait for nothing else; without its listener. */
export function nodeServices({ files, outbound, ...more }: NodeParts): NodeServices {
  const { cluster, clock } = files;
  const { crashpoint = () => {}, log = () => {}, measures = NO_MEASURES } = more;
  const upstream = { ...config.upstream, settleRetryMs: 5, ...more.upstream };
  const keys = new Map([['a', 'secret-a']]);
  const targets = new Targets(keys);
  const outcomes = new Outcomes(cluster, clock);
  const flights = new Flights(() => cluster.now());
  const inference = openInference({
    flights,
    outbound,
    targets,
    outcomes,
    workspaces: more.workspaces ?? new Workspaces(cluster, clock, config),
    files,
    fileRoom: new FileRoom(config.files.heldBytesMax, clock),
    keys,
    measures,
    log,
    storeFull: () => false,
    streamShares: new StreamShares(clock, config.overload),
    config: { ...config, upstream },
  });
  return {
    files,
    outbound,
    targets,
    outcomes,
    measures,
    upstream,
    crashpoint,
    log,
    flights,
    inference,
    limits: config.edge,
    renders: { ...config.renders, pollMsMin: 5, pollMsMax: 20, tryAgainMs: 1, ...more.renders },
    pace: more.pace ?? { enter: async () => true },
  };
}
