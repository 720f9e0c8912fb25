import type { ProviderDeclaration } from './provider-declaration.ts';

/** The whole configuration of a cluster. Defaults stand in `cluster.config.ts`; validated once, then frozen. */
export interface ClusterConfig {
  readonly nodes: readonly NodeConfig[];
  /** Host and port of the public API. The launcher owns it; a node alone listens on it itself. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Folder of everything durable: database, secrets, connection.json. */
  readonly data: string;
  readonly store: StoreConfig;
  readonly runtime: RuntimeLimits;
  readonly edge: EdgeLimits;
  readonly rates: RateLimits;
  readonly upstream: UpstreamLimits;
  readonly checks: CheckLimits;
  readonly launcher: LauncherLimits;
  readonly workspace: WorkspaceConfig;
  readonly demo: DemoConfig;
  readonly providers: readonly ProviderDeclaration[];
}

export interface NodeConfig {
  readonly name: string;
  /** gRPC address, host:port, as the other nodes reach it; port 0 takes a free one. Beyond loopback it needs `tls`. */
  readonly grpc: string;
  /** Operator HTTP address, host:port; port 0 takes a free one. */
  readonly operator: string;
  /** What this node shows the others and demands of them. All nodes have it, or none. */
  readonly tls?: TlsConfig;
}

/** Paths of PEM files, relative to the configuration; read once, when the node starts. */
export interface TlsConfig {
  /** The certificates of the cluster's own authority: whom it signed is trusted. */
  readonly ca: string;
  /** The node's certificate, with the node's name among its subject alternative names (DNS); intermediates behind it. */
  readonly certificate: string;
  readonly key: string;
}

/** Where everything is kept: one SQLite file in the data folder, or a PostgreSQL database. */
export interface StoreConfig {
  readonly kind: 'sqlite' | 'postgres';
  /** `postgres://user:password@host:port/database`; absent: what the environment variable `urlEnv` says. */
  readonly url?: string;
  readonly urlEnv: string;
  /** The database of the sealing keys, never the one above and in no backup; absent: what `keysUrlEnv` says, or none. */
  readonly keysUrl?: string;
  readonly keysUrlEnv: string;
  readonly postgres: PostgresLimits;
}

/** Bounds of the connections of one node to PostgreSQL. Times in ms. */
export interface PostgresLimits {
  /** Connections that commit, each with its fixed part of the shards; and those that read. */
  readonly writers: number;
  readonly readers: number;
  readonly connectMs: number;
  /** The server's bounds: wait for one lock, run of one call, and a transaction left open by a process that stands. */
  readonly lockMs: number;
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
  /** A peer that acknowledges nothing for this long is dropped by the server. */
  readonly peerSilentMs: number;
  readonly keepAliveMs: number;
  /** The node's own bound: an answer that takes longer never comes. Above `statementMs`. */
  readonly answerMs: number;
  /** Calls that may wait for one connection. */
  readonly callsMax: number;
  /** Tries of a call refused for a deadlock or a conflict, the first included, and the longest pause between two. */
  readonly triesMax: number;
  readonly retryMsMax: number;
}

/** Bounds and times of the actor runtime. Times in ms. */
export interface RuntimeLimits {
  readonly shards: number;
  readonly heartbeatMs: number;
  /** A peer counts as heard when its last frame is younger than this. */
  readonly heardMs: number;
  /** Outside the live set for this long is voted out. */
  readonly outsideMs: number;
  /** A heartbeat row unchanged for this long (watcher's monotonic clock) is voted out. */
  readonly staleMs: number;
  readonly readLeaseMs: number;
  readonly cascadeStepsMax: number;
  readonly laneStartMax: number;
  readonly laneFinishMax: number;
  readonly laneSystemMax: number;
  readonly commitEntriesMax: number;
  readonly commitBytesMax: number;
  readonly envelopesPerFrameMax: number;
  readonly frameBytesMax: number;
  readonly envelopeBytesMax: number;
  readonly asksInFlightMax: number;
  readonly trailMax: number;
  readonly watchersMax: number;
  /** Actors in memory, those of resident kinds not counted; the least recently used leave first. */
  readonly residentsMax: number;
  readonly timersAheadMs: number;
  readonly sweepMs: number;
  readonly sweepRowsMax: number;
  /** A blob that no row refers to is removed once it is older than this: longer than any upload and any upgrade. */
  readonly blobOrphanMs: number;
  /** Blobs looked at per sweep. */
  readonly sweepBlobsMax: number;
  readonly blobBytesMax: number;
  /** Longest wait for the store's write lock; beyond it writes are refused as busy. Above `launcher.storeBusyKillMs`. */
  readonly storeBusyMs: number;
  /** Set aside on the disk, so that settles, releases and cancels go through when it is full. */
  readonly ballastBytes: number;
}

export interface EdgeLimits {
  readonly bodyBytesMax: number;
  /** Of all large bodies under way on one node, together; one more is refused with 503. */
  readonly bodiesBytesMax: number;
  readonly bodyDepthMax: number;
  readonly bodyTokensMax: number;
  /** An upload slower than this on the average, once `bodyGraceMs` have passed, is ended. */
  readonly bodyBytesPerSecondMin: number;
  readonly bodyGraceMs: number;
  readonly headerBytesMax: number;
  readonly headersMax: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly connectionsMax: number;
  /** Of one IPv4 address, or of one IPv6 /64. Above `requestsMax`, so that a proxy in front of the node has enough. */
  readonly connectionsPerAddressMax: number;
  /** Requests under way per node before new ones are shed. */
  readonly requestsMax: number;
  readonly keepAliveCommentMs: number;
  readonly streamBufferBytesMax: number;
  /** A reader that takes nothing for this long is cut. */
  readonly streamStalledMs: number;
  readonly drainGraceMs: number;
  /** While draining, a connection without a request for this long is closed before the grace ends. */
  readonly drainIdleMs: number;
  /** Callers remembered by the digest of their key, and keys remembered as dead or used up; a place each is reserved. */
  readonly callersMax: number;
  /** For how long an unknown or dead key is not looked up anew. */
  readonly deadKeyMs: number;
  /** Unused grants of the whole endpoint's window go back after this long without a request. */
  readonly sliceIdleMs: number;
}

export interface RateLimits {
  /** Fixed window of one minute. */
  readonly keyPerMinute: number;
  readonly endpointPerMinute: number;
  readonly addressPerMinute: number;
  readonly windowMs: number;
}

export interface UpstreamLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly lineBytesMax: number;
  readonly bodyBytesMax: number;
  readonly connectionsPerOriginMax: number;
  /** How long a non-cancellable answer is read on after its caller left. */
  readonly readOnMs: number;
  /** Added to `totalMs` for the hold's own deadline. */
  readonly holdSlackMs: number;
  readonly askMs: number;
  readonly settleRetryMs: number;
  readonly settleRetriesMax: number;
  /** How often models documents are read anew. */
  readonly documentEveryMs: number;
  readonly probeEveryMs: number;
  readonly probeTimeoutMs: number;
}

/**
 * The small questions that nodes put to the endpoints they own, to see whether they do what they declare. They cost what
 * the provider charges for them, and nobody else is charged. Times in ms.
 */
export interface CheckLimits {
  readonly enabled: boolean;
  /** How often a node looks for what is due: the least time between two questions to one provider. */
  readonly lookEveryMs: number;
  /** Between two tries of a check that passed; below 24 hours, or what was found runs out in between. */
  readonly everyMs: number;
  /** Between two tries of one that failed or told nothing. */
  readonly againMs: number;
  /** What was never checked is tried within this time, spread over it. */
  readonly firstWithinMs: number;
  /** For one whole answer. */
  readonly timeoutMs: number;
  readonly completionTokensMax: number;
}

export interface LauncherLimits {
  readonly pingEveryMs: number;
  /** Silent for longer is left out of the rotation. */
  readonly silentMs: number;
  /** A process the kernel shows as stopped for this long is killed. */
  readonly stoppedKillMs: number;
  /** Silent for this long is killed, whatever the kernel says. */
  readonly silentKillMs: number;
  /** The store busy for this long: the silent node is killed at once. */
  readonly storeBusyKillMs: number;
  readonly handoffAckMs: number;
  readonly handoffsMax: number;
  readonly restartDelayMs: number;
  readonly restartDelayMaxMs: number;
}

/** What routing takes for every account where a request does not say. */
export interface WorkspaceConfig {
  /** Only endpoints vetted for zero data retention; no request can loosen it. */
  readonly zeroRetention: boolean;
  /** How the endpoints of several requested models are tried: one model after the other, or all together. */
  readonly partition: 'model' | 'none';
}

/** What `npm start` adds so that a newcomer can send a request at once. */
export interface DemoConfig {
  readonly enabled: boolean;
  /** Simulated providers to start as processes of their own. */
  readonly simulators: number;
  /** First deposit of the demo account, exact decimal USD. */
  readonly depositUsd: string;
}
