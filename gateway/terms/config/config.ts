import type { RuntimeLimits } from '../../../actors/runtime/index.ts';
import type { Retention } from '../../../actors/terms/retention.ts';
import type { ProviderDeclaration } from '../provider-declaration.ts';
import type { TracingConfig } from '../tracing.ts';
import type { BenchmarkLimits, CheckLimits } from './check-limits.ts';
import type { DepositConfig } from './deposit-config.ts';
import type { OperatorConfig } from './operator-config.ts';
import type { RenderLimits } from './render-limits.ts';

export type { RuntimeLimits };

/** The whole configuration of a cluster. Defaults are in `cluster.config.ts`; it is validated once, then frozen. */
export interface ClusterConfig {
  readonly nodes: readonly NodeConfig[];
  /** Host and port of the public API. The launcher owns the port; a node without launcher listens on it itself. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Folder of all durable files: database, secrets, connection.json. */
  readonly data: string;
  readonly store: StoreConfig;
  readonly runtime: RuntimeLimits;
  readonly activities: ActivityLimits;
  readonly edge: EdgeLimits;
  readonly overload: OverloadLimits;
  readonly files: FileLimits;
  readonly batches: BatchLimits;
  readonly videos: VideoLimits;
  readonly renders: RenderLimits;
  readonly webhooks: WebhookLimits;
  readonly deposits: DepositConfig;
  readonly events: EventLimits;
  readonly signIn: SignInLimits;
  readonly rates: RateLimits;
  readonly upstream: UpstreamLimits;
  readonly checks: CheckLimits;
  readonly benchmarks: BenchmarkLimits;
  readonly launcher: LauncherLimits;
  readonly operator: OperatorConfig;
  readonly tracing: TracingConfig;
  readonly retention: Retention;
  readonly workspace: WorkspaceConfig;
  readonly demo: DemoConfig;
  readonly providers: readonly ProviderDeclaration[];
}

export interface NodeConfig {
  readonly name: string;
  /** gRPC address, host:port, as other nodes dial it; port 0 takes a free one. Beyond loopback it needs `tls`. */
  readonly grpc: string;
  /** Operator HTTP address, host:port; port 0 takes a free one. */
  readonly operator: string;
  /** The node's certificates; it requires the same of its peers. Set on all nodes, or on none. */
  readonly tls?: TlsConfig;
}

/** Paths of PEM files, relative to the configuration; read once, when the node starts. */
export interface TlsConfig {
  /** The certificates of the cluster's own authority: certificates that it signed are trusted. */
  readonly ca: string;
  /** The node's certificate, with the node's name among its subject alternative names (DNS), then the intermediates. */
  readonly certificate: string;
  readonly key: string;
}

/** The store: one SQLite file in the data folder, or a PostgreSQL database. */
interface StoreConfig {
  readonly kind: 'sqlite' | 'postgres';
  /** `postgres://user:password@host:port/database`; absent: the value of the environment variable `urlEnv`. */
  readonly url?: string;
  readonly urlEnv: string;
  /** The database of the sealing keys, never the same as `url` and in no backup; absent: `keysUrlEnv`, or beside `url`. */
  readonly keysUrl?: string;
  readonly keysUrlEnv: string;
  readonly postgres: PostgresLimits;
}

/** Bounds of the connections of one node to PostgreSQL. Times in ms. */
interface PostgresLimits {
  /** Connections that commit, each for its fixed part of the shards, and connections that read. */
  readonly writers: number;
  readonly readers: number;
  readonly connectMs: number;
  /** Bounds on the server: wait for one lock, run of one call, and a transaction left open by a stalled process. */
  readonly lockMs: number;
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
  /** The server drops a peer that acknowledges nothing for this long. */
  readonly peerSilentMs: number;
  readonly keepAliveMs: number;
  /** Bound of the node: a later answer is treated as lost. Above `statementMs`. */
  readonly answerMs: number;
  /** Calls that may wait for one connection. */
  readonly callsMax: number;
  /** Attempts of a call refused for a deadlock or a conflict, the first included, and the longest pause between two. */
  readonly triesMax: number;
  readonly retryMsMax: number;
}

/** Bounds of the work that nodes do for actors, such as a line of a batch. Times in ms. */
export interface ActivityLimits {
  /**
   * A node that drains lets running activities end for so long before it closes its HTTP client; renders of synchronous
   * providers for `renders.drainMs`.
   */
  readonly graceMs: number;
}

export interface EdgeLimits {
  /** CIDR ranges of the proxies in front of the public port: only their `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the API; never with cookies. */
  readonly corsOrigins: readonly string[];
  /** One line in the node's log for every request. */
  readonly requestLog: boolean;
  readonly bodyBytesMax: number;
  /** Total of all large bodies in progress on one node; one more is refused with 503. */
  readonly bodiesBytesMax: number;
  /** Request bodies that are still arriving, per key, and per IPv4 address or IPv6 /64. */
  readonly uploadsPerKeyMax: number;
  readonly uploadsPerAddressMax: number;
  readonly bodyDepthMax: number;
  readonly bodyTokensMax: number;
  /** An upload with a lower average rate, once `bodyGraceMs` have passed, is ended. */
  readonly bodyBytesPerSecondMin: number;
  readonly bodyGraceMs: number;
  readonly headerBytesMax: number;
  readonly headersMax: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly connectionsMax: number;
  /** Per IPv4 address or IPv6 /64. Above `requestsMax`, so that a proxy in front of the node has enough. */
  readonly connectionsPerAddressMax: number;
  /** Requests in progress per node before new ones are shed. */
  readonly requestsMax: number;
  readonly keepAliveCommentMs: number;
  readonly streamBufferBytesMax: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly streamStalledMs: number;
  /** Bytes of large whole answers that clients have not read yet, per node; above it the oldest is cut. */
  readonly unreadBytesMax: number;
  readonly drainGraceMs: number;
  /** While draining, a connection idle for this long is closed before the grace ends. */
  readonly drainIdleMs: number;
  /** Callers cached by the digest of their key, and keys cached as dead or used up; as many slots are preallocated. */
  readonly callersMax: number;
  /** For how long an unknown or dead key is not looked up again. */
  readonly deadKeyMs: number;
  /** Unused grants of the endpoint's whole window are returned after this long without a request. */
  readonly sliceIdleMs: number;
}

/** When a node declines work because it has more than time. Times in ms. */
export interface OverloadLimits {
  /** Requests that a node works on at once, from the body to the hold or the answer; the number follows the load. */
  readonly placesMin: number;
  readonly placesMax: number;
  /** A delay of the event loop that is never smaller than this for `intervalMs` takes places away. */
  readonly loopDelayMs: number;
  readonly intervalMs: number;
  /** So does a mean time inside above this, where fewer places shorten it. */
  readonly placeMs: number;
  /** Requests that wait for a place: in a burst, and once some have waited for `standingMs` without a pause. */
  readonly waitingMax: number;
  readonly standingWaitingMax: number;
  readonly standingMs: number;
  /** Time in each turn of the event loop for requests to begin, and for refusals; busy turns give more. */
  readonly startsMs: number;
  readonly refusalsMs: number;
  /** Bytes of streams that a node takes from providers in one turn of the event loop, by account in turn. */
  readonly streamTurnBytes: number;
  /** An account whose streams wait longer than this for their turn begins no further one. */
  readonly streamDelayMs: number;
  /** A live request counts for this long: until then background work and jobs give way. */
  readonly liveMs: number;
  /** Background work in one turn of the event loop, ms, and how many times as long it then rests. */
  readonly pieceMs: number;
  readonly restFactor: number;
  /** So much of it, ms, rests less: one large submission. */
  readonly burstMs: number;
  /** Beside live requests, jobs begin at a rate that keeps the event loop below this percentage, and at least at this. */
  readonly jobBusyPercentMax: number;
  readonly jobsPerSecondMin: number;
}

/** Stored files. */
export interface FileLimits {
  /** Size of one file. */
  readonly fileBytesMax: number;
  /** How long a file can be read after it was stored. */
  readonly lifetimeMs: number;
  /** All readable files of one account together. */
  readonly accountBytesMax: number;
  /** All files that one request names together. */
  readonly requestBytesMax: number;
  /** Bytes of stored files that the requests under way on one node hold in memory. */
  readonly heldBytesMax: number;
  /** Uploads under way on one node, in all and of one account. */
  readonly uploadsMax: number;
  readonly uploadsPerAccountMax: number;
}

/** Batches. Times in ms. */
interface BatchLimits {
  /** Size of one submission; each body in it also has the bounds of a live request. */
  readonly submissionBytesMax: number;
  /** The completion window: requests that were not sent by its end never are. */
  readonly windowMs: number;
  /** How long an ended batch is shown; its results file has its own, shorter lifetime. */
  readonly retentionMs: number;
}

/** Video jobs. Times in ms. */
interface VideoLimits {
  /** Size of one submission, assets included. */
  readonly submissionBytesMax: number;
  /** From the submission to the last moment at which a render may end. */
  readonly jobMs: number;
  /** The money of a job is held so much longer, so that only the job ends its hold. */
  readonly holdSlackMs: number;
  /** How long a clip can be read after its render, and after its first delivery. */
  readonly windowMs: number;
  readonly deliveredMs: number;
  /** The longest download of a clip, and the downloads of one job at once. */
  readonly downloadMs: number;
  readonly downloadsMax: number;
  /** How long an ended job is shown. */
  readonly retentionMs: number;
}

/** The streams of `GET /events`. */
export interface EventLimits {
  /** Streams on one node, in all, of one account and of one key. */
  readonly streamsMax: number;
  readonly streamsPerAccountMax: number;
  readonly streamsPerKeyMax: number;
  /** Events that wait for a slow reader, per stream; beyond it the stream ends. */
  readonly bufferBytesMax: number;
}

/** Sessions of the pages, and the codes of browser approvals. Times in ms. */
export interface SignInLimits {
  /** From the sign-in to the end of a session. */
  readonly sessionMs: number;
  /** How long the code of an approval can be traded for a key. */
  readonly codeMs: number;
}

/** Requests per fixed window, counted over all nodes. */
export interface RateLimits {
  readonly keyPerMinute: number;
  readonly endpointPerMinute: number;
  /** Requests without a valid key, per IPv4 address or IPv6 /64: reads, unknown paths, wrong keys. */
  readonly addressPerMinute: number;
  /**
   * Percent of `endpointPerMinute` that one account, or all requests without a valid key together, may take while
   * others ask; 1 to 100.
   */
  readonly partPercentMax: number;
  readonly windowMs: number;
}

export interface UpstreamLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly lineBytesMax: number;
  readonly bodyBytesMax: number;
  /** Large whole answers that a node reads at once, in bytes; at least twice `bodyBytesMax`. */
  readonly repliesBytesMax: number;
  readonly connectionsPerOriginMax: number;
  /** How long a non-cancellable answer is read on after its client left. */
  readonly readOnMs: number;
  /** Added to `totalMs` for the hold's own deadline. */
  readonly holdSlackMs: number;
  readonly askMs: number;
  /** A ceiling that the client did not request is lowered to what the money affords, but not below this. */
  readonly completionTokensLeast: number;
  readonly settleRetryMs: number;
  readonly settleRetriesMax: number;
  /** How often models documents are read again. */
  readonly documentEveryMs: number;
  readonly probeEveryMs: number;
  readonly probeTimeoutMs: number;
}

/** Which targets the callback URLs of customers may name, beyond public HTTPS hosts. */
export interface TargetRules {
  /**
   * Exceptions: an origin such as `https://hooks.internal:8443`, whose addresses need not be public (with `http://`
   * also unencrypted), or a range of addresses such as `10.1.0.0/16`, which count as public.
   */
  readonly allowedTargets: readonly string[];
  /** Host names and address ranges (CIDR) that are never called, such as the public ones of this service. */
  readonly refusedHosts: readonly string[];
}

/** Deliveries of webhooks. Times in ms. */
export interface WebhookLimits extends TargetRules {
  /** Limit of one attempt, from the look-up of the name to the end of the answer. */
  readonly answerMs: number;
  /** Bytes of an answer that are read. */
  readonly answerBytesMax: number;
  /** Attempts that run at once on one node: in total, and to one host. */
  readonly runningMax: number;
  readonly runningPerHostMax: number;
  /** The wait after the first attempt, and the longest one. Each wait is four times the previous one. */
  readonly backOffMsMin: number;
  readonly backOffMsMax: number;
  /** For how long a rotated secret signs beside the new one. */
  readonly secretOverlapMs: number;
}

export interface LauncherLimits {
  readonly pingEveryMs: number;
  /** A node silent for longer is left out of the rotation. */
  readonly silentMs: number;
  /** A process that the kernel reports as stopped for this long is killed. */
  readonly stoppedKillMs: number;
  /** A node silent for this long is killed, whatever state the kernel reports. */
  readonly silentKillMs: number;
  /** A silent node is killed at once when the store has been busy for this long. */
  readonly storeBusyKillMs: number;
  readonly handoffAckMs: number;
  readonly handoffsMax: number;
  readonly restartDelayMs: number;
  readonly restartDelayMaxMs: number;
}

/** Routing defaults for every account, used where a request does not set them. */
export interface WorkspaceConfig {
  /** Only endpoints vetted for zero data retention; a request cannot loosen it. */
  readonly zeroRetention: boolean;
  /** How the endpoints of several requested models are tried: one model after the other, or all together. */
  readonly partition: 'model' | 'none';
}

/** The demo that `npm start` adds, so that a new user can send a request at once. */
interface DemoConfig {
  readonly enabled: boolean;
  /** Simulated providers to start, each in a process of its own. */
  readonly simulators: number;
  /** First deposit of each demo account, exact decimal USD. */
  readonly depositUsd: string;
  /** Whether simulated customers call the API, from an account of their own, so that figures and lists show something. */
  readonly traffic: boolean;
}
