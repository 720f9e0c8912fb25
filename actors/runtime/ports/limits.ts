/** Bounds and times of the actor runtime, named as in the configuration. Times in ms. */
export interface RuntimeLimits {
  readonly shards: number;
  readonly heartbeatMs: number;
  /** A peer is reachable if its last frame is younger than this. */
  readonly reachableMs: number;
  /** A node that was inside the live set and is outside it for this long is voted out. */
  readonly voteOutMs: number;
  /** A node that was never inside the live set is voted out after this long. */
  readonly joinMs: number;
  /** A node whose heartbeat row is unchanged for this long (the watcher's monotonic clock) is voted out. */
  readonly staleMs: number;
  readonly readLeaseMs: number;
  /** Steps of one cascade, including the first. */
  readonly cascadeStepsMax: number;
  readonly laneStartMax: number;
  readonly laneFinishMax: number;
  readonly laneSystemMax: number;
  /** Entries of one batch; stepping pauses when four times as many wait. */
  readonly commitEntriesMax: number;
  readonly commitBytesMax: number;
  readonly envelopesPerFrameMax: number;
  readonly frameBytesMax: number;
  readonly envelopeBytesMax: number;
  /** Bound on asks in flight per link, and on asks that wait for an owner. */
  readonly asksInFlightMax: number;
  /** Transitions in an actor's transition log. */
  readonly transitionsMax: number;
  readonly watchersMax: number;
  /** Owners whose changes one node may watch, for example accounts for the clients of the gateway. */
  readonly watchedOwnersMax: number;
  /** Actors in memory, not counting resident kinds; the least recently used are evicted first. */
  readonly residentsMax: number;
  /** Timers due within this time are loaded. */
  readonly timersAheadMs: number;
  readonly sweepMs: number;
  readonly sweepRowsMax: number;
  /** A blob that no row refers to is removed once it is older than this: longer than any upload and any upgrade. */
  readonly blobOrphanMs: number;
  /** Blobs examined per sweep. */
  readonly sweepBlobsMax: number;
  readonly blobBytesMax: number;
  /** Longest wait for the write lock, then writes are refused as busy. Above `launcher.storeBusyKillMs`. */
  readonly storeBusyMs: number;
  /** Disk space in reserve, so that settles, releases and cancels succeed when the disk is full. */
  readonly ballastBytes: number;
}

/** The limits of a node. The others belong to its stores, which are opened before it. */
export type NodeLimits = Omit<RuntimeLimits, 'blobBytesMax' | 'storeBusyMs' | 'ballastBytes'>;

/** The limits that an engine uses. */
export type EngineLimits = Pick<
  RuntimeLimits,
  | 'cascadeStepsMax'
  | 'laneStartMax'
  | 'laneFinishMax'
  | 'laneSystemMax'
  | 'commitEntriesMax'
  | 'commitBytesMax'
  | 'transitionsMax'
  | 'residentsMax'
  | 'timersAheadMs'
>;
