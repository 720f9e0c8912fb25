import type { ClusterConfig } from './gateway/terms/config/config.ts';

/**
 * The default cluster: three nodes on loopback over one SQLite file. `--config FILE` (JSON, or a module with a default
 * export) overrides it member by member. Times are milliseconds; every bound of the product is in this object. A peer is
 * reachable for `reachableMs` after its last frame; a node that is unreachable for `voteOutMs` is voted out by its peers.
 * A node whose gRPC address is not on loopback needs `tls: { ca, certificate, key }`, paths of PEM files.
 */
const config: ClusterConfig = {
  nodes: [
    { name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' },
    { name: 'n2', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' },
    { name: 'n3', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' },
  ],
  listen: { host: '127.0.0.1', port: 8080 },
  data: './data',

  // 'sqlite' keeps all data in the data folder; 'postgres' in the database at `url`, or at the URL in the variable
  // `urlEnv`.
  store: {
    kind: 'sqlite',
    urlEnv: 'TROUPE_POSTGRES_URL',
    keysUrlEnv: 'TROUPE_KEYS_URL',
    postgres: {
      writers: 2,
      readers: 2,
      connectMs: 3_000,
      lockMs: 2_000,
      statementMs: 4_000,
      idleInTransactionMs: 3_000,
      peerSilentMs: 3_000,
      keepAliveMs: 2_000,
      answerMs: 5_000,
      callsMax: 4_096,
      triesMax: 5,
      retryMsMax: 20,
    },
  },

  runtime: {
    shards: 256,
    heartbeatMs: 500,
    reachableMs: 2_000,
    voteOutMs: 2_000,
    // A node that starts owns no shard, so nobody waits for the verdict on it; on a busy machine it needs seconds.
    joinMs: 30_000,
    // A node can stall for three seconds just before a heartbeat is due and write it when it resumes.
    staleMs: 3_600,
    readLeaseMs: 3_000,
    cascadeStepsMax: 16,
    // Lanes of one actor: only a full `start` lane answers busy; the other two bounds limit memory.
    laneStartMax: 1_024,
    laneFinishMax: 65_536,
    laneSystemMax: 4_096,
    commitEntriesMax: 1_024,
    commitBytesMax: 4 * 1024 * 1024,
    envelopesPerFrameMax: 256,
    frameBytesMax: 64 * 1024,
    envelopeBytesMax: 1024 * 1024,
    asksInFlightMax: 16_384,
    // Entries of an actor's transition log.
    transitionsMax: 50,
    watchersMax: 32,
    watchedOwnersMax: 20_000,
    // Actors in memory per node, about 4 KiB each; the least recently used are evicted first.
    residentsMax: 100_000,
    timersAheadMs: 60_000,
    sweepMs: 60_000,
    sweepRowsMax: 500,
    // Longer than any upload, any clock step and any rolling upgrade: until then a blob can be waiting for its commit.
    blobOrphanMs: 24 * 60 * 60_000,
    // Checked in pages of 50 with a pause of 50 ms after each, so a full round takes about a minute.
    sweepBlobsMax: 50_000,
    blobBytesMax: 512 * 1024 * 1024,
    storeBusyMs: 5_000,
    ballastBytes: 64 * 1024 * 1024,
  },

  // From the beginning of a node's drain. An activity that still runs then is aborted and begins anew on another node;
  // the launcher kills a node 6 s after the longer of this and `edge.drainGraceMs`.
  activities: { graceMs: 20_000 },

  edge: {
    // CIDR ranges whose `X-Forwarded-For` names the client, such as '10.0.0.0/8'.
    trustedProxies: [],
    // Origins whose pages may call the API, such as 'https://app.example.com'; never with cookies.
    corsOrigins: [],
    // One line in the log of the node for every request: key, model, provider, status, reason, time, tokens, cost.
    requestLog: false,
    bodyBytesMax: 8 * 1024 * 1024,
    bodiesBytesMax: 512 * 1024 * 1024,
    uploadsPerKeyMax: 64,
    // A proxy in front is one address: half of the requests that a node runs.
    uploadsPerAddressMax: 1_000,
    bodyDepthMax: 64,
    // Brackets, braces, colons and commas: one in four bytes, more than any schema needs. What becomes objects has a
    // lower bound of its own (`gateway/json/json-reader.ts`).
    bodyTokensMax: 2 * 1024 * 1024,
    bodyBytesPerSecondMin: 1_024,
    bodyGraceMs: 10_000,
    headerBytesMax: 16 * 1024,
    headersMax: 200,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 120_000,
    idleTimeoutMs: 75_000,
    connectionsMax: 10_000,
    // Half of all connections, so that no single address can take all. A proxy in front is one address; it needs a
    // connection for each of its requests in flight (2,000 at most) and as many idle ones. So no address is exempt, not
    // even loopback.
    connectionsPerAddressMax: 5_000,
    requestsMax: 2_000,
    keepAliveCommentMs: 15_000,
    streamBufferBytesMax: 1024 * 1024,
    streamStalledMs: 60_000,
    unreadBytesMax: 256 * 1024 * 1024,
    drainGraceMs: 20_000,
    drainIdleMs: 2_000,
    callersMax: 50_000,
    deadKeyMs: 2_000,
    sliceIdleMs: 1_000,
  },

  // A node that has more work than time queues requests by account, then refuses them at once: dispatches of batches
  // first, then reads, then turns. Settles, cancels and webhooks are never refused. Beside live requests, submissions and
  // downloads have 1 / (1 + `restFactor`) of the event loop, more in a burst of `burstMs`, and lines of batches what keeps
  // it below `jobBusyPercentMax`; without any they take it all.
  overload: {
    placesMin: 8,
    placesMax: 1_000,
    loopDelayMs: 5,
    intervalMs: 100,
    placeMs: 25,
    waitingMax: 1_000,
    standingWaitingMax: 256,
    standingMs: 1_000,
    startsMs: 2,
    refusalsMs: 0.5,
    streamTurnBytes: 64 * 1024,
    streamDelayMs: 100,
    liveMs: 2_000,
    pieceMs: 1,
    restFactor: 2,
    burstMs: 1_000,
    jobBusyPercentMax: 30,
    jobsPerSecondMin: 10,
  },

  // rule B42. A request names at most 32 MiB of files, so no larger file could be used.
  files: {
    fileBytesMax: 32 * 1024 * 1024,
    lifetimeMs: 48 * 60 * 60_000,
    accountBytesMax: 10 * 1024 * 1024 * 1024,
    requestBytesMax: 32 * 1024 * 1024,
    heldBytesMax: 128 * 1024 * 1024,
    uploadsMax: 64,
    uploadsPerAccountMax: 8,
  },

  // rule B30, rule E13, rule E14. The results of a batch are a stored file and end with its lifetime.
  batches: {
    submissionBytesMax: 32 * 1024 * 1024,
    windowMs: 24 * 60 * 60_000,
    retentionMs: 30 * 24 * 60 * 60_000,
  },

  // rule V3, rule V32. Assets of 20 MiB take 27 MiB as base64. A render that has no outcome after `jobMs` fails; its
  // money is held `holdSlackMs` longer. A download that takes longer than `downloadMs` is cut.
  videos: {
    submissionBytesMax: 32 * 1024 * 1024,
    jobMs: 2 * 60 * 60_000,
    holdSlackMs: 60 * 60_000,
    windowMs: 24 * 60 * 60_000,
    deliveredMs: 10 * 60_000,
    downloadMs: 60 * 60_000,
    downloadsMax: 16,
    retentionMs: 30 * 24 * 60 * 60_000,
  },

  // What the providers of video are given. A render outlives the node that watches it, where its provider answers polls;
  // a drain waits `drainMs` for one whose provider answers the call with the clip, by default as long as it may take.
  renders: {
    runningMax: 256,
    runningPerAccountMax: 64,
    receivingMax: 32,
    clipBytesMax: 512 * 1024 * 1024,
    createMs: 60_000,
    renderMs: 30 * 60_000,
    pollMsMin: 500,
    pollMsMax: 10_000,
    pollAnswerMs: 15_000,
    silentMs: 120_000,
    clipMs: 10 * 60_000,
    drainMs: 40 * 60_000,
    triesMax: 3,
    tryAgainMs: 1_000,
  },

  // Eight attempts within about two hours (rule V39). `allowedTargets` and `refusedHosts` are explained in
  // docs/webhooks.md.
  webhooks: {
    allowedTargets: [],
    refusedHosts: [],
    answerMs: 15_000,
    answerBytesMax: 64 * 1024,
    runningMax: 256,
    runningPerHostMax: 4,
    backOffMsMin: 5_000,
    backOffMsMax: 60 * 60_000,
    secretOverlapMs: 24 * 60 * 60_000,
  },

  // docs/money.md explains the rails `card` and `x402`, which only a configuration of your own declares.
  deposits: {
    approvalAboveUsd: '1000',
    minUsd: '1',
    maxUsd: '10000',
    payments: {
      authorizationMs: 10 * 60_000,
      waitMs: 20_000,
      answerMs: 30_000,
      answerBytesMax: 64 * 1024,
      runningMax: 64,
      runningPerAccountMax: 4,
    },
  },

  events: {
    streamsMax: 5_000,
    streamsPerAccountMax: 2_000,
    streamsPerKeyMax: 1_000,
    bufferBytesMax: 256 * 1024,
  },

  // rule K23.
  signIn: {
    sessionMs: 12 * 3_600_000,
    codeMs: 600_000,
  },

  // rule B30, rule E13, rule E14. `addressPerMinute` counts requests without a valid key; a proxy in front of the nodes
  // is one address, so raise it there and limit strangers at the proxy. `partPercentMax` is the percentage of the
  // endpoint's window that one account, or all requests without a valid key together, can take while others ask.
  rates: {
    keyPerMinute: 120,
    endpointPerMinute: 6_000,
    addressPerMinute: 120,
    partPercentMax: 25,
    windowMs: 60_000,
  },

  upstream: {
    connectMs: 5_000,
    firstByteMs: 60_000,
    idleMs: 60_000,
    totalMs: 600_000,
    lineBytesMax: 1024 * 1024,
    bodyBytesMax: 16 * 1024 * 1024,
    repliesBytesMax: 64 * 1024 * 1024,
    connectionsPerOriginMax: 1_024,
    readOnMs: 30_000,
    holdSlackMs: 60_000,
    askMs: 10_000,
    completionTokensLeast: 4_096,
    // Together as long as a hold lives: an outage of the store shorter than that leaves no answer uncharged.
    settleRetryMs: 250,
    settleRetriesMax: 2_640,
    documentEveryMs: 300_000,
    probeEveryMs: 10_000,
    probeTimeoutMs: 2_000,
  },

  // Small requests that verify endpoints' declarations. Each costs a few dozen tokens at its provider.
  checks: {
    enabled: true,
    lookEveryMs: 1_000,
    everyMs: 6 * 60 * 60_000,
    againMs: 15 * 60_000,
    firstWithinMs: 30_000,
    timeoutMs: 30_000,
    completionTokensMax: 512,
  },

  // Data sets whose questions are put to the endpoints, and whose scores the catalogue shows; docs/health.md has the format.
  benchmarks: {
    datasets: [],
    lookEveryMs: 60_000,
    everyMs: 7 * 24 * 60 * 60_000,
    againMs: 6 * 60 * 60_000,
    timeoutMs: 120_000,
    completionTokensMax: 4_096,
  },

  launcher: {
    pingEveryMs: 100,
    silentMs: 500,
    stoppedKillMs: 1_000,
    silentKillMs: 5_000,
    storeBusyKillMs: 2_000,
    handoffAckMs: 300,
    handoffsMax: 4_096,
    restartDelayMs: 200,
    restartDelayMaxMs: 5_000,
  },

  // `oidc` adds the organisation's own sign-in to that by token at the operator port. `builds` names folders of other
  // builds, such as { next: '../next' }: with those operators may take recorded steps again in the console.
  // Less free space on the disk of a data folder is an alarm.
  operator: { oidc: null, builds: {}, lowDiskBytes: 1_073_741_824 },

  // A collector of traces (OTLP over HTTP), such as 'http://127.0.0.1:4318/v1/traces'.
  tracing: { url: null, percent: 100 },

  // Days for which ended rows are kept; null keeps generations and activity for ever. The ledger and the audit log are kept for ever.
  retention: { generations: 90, activity: 400, history: 7, ledger: null, audit: null, export: null },

  // `zeroRetention: true` restricts every request to endpoints whose claim of zero data retention was approved.
  workspace: { zeroRetention: false, partition: 'model' },

  demo: { enabled: true, simulators: 5, depositUsd: '100', traffic: true },
  providers: [],
};

export default config;
