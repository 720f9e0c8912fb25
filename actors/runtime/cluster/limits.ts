import type { TransportLimits } from '../ports/transport.ts';

/** Bounds and times of the cluster layer, named as in the configuration. Times in ms. */
export interface ClusterLimits extends TransportLimits {
  readonly shards: number;
  readonly heartbeatMs: number;
  /** A peer counts as heard if its last frame is younger than this. */
  readonly heardMs: number;
  /** A node that was inside the live set and is outside for this long is voted out. */
  readonly outsideMs: number;
  /** A node that was never inside the live set is voted out after this long. */
  readonly joinMs: number;
  /** A node whose heartbeat row is unchanged for this long is voted out. */
  readonly staleMs: number;
  readonly readLeaseMs: number;
  /** Bound on asks in flight per link, and on asks that wait for an owner. */
  readonly asksInFlightMax: number;
  readonly watchersMax: number;
  /** Owners whose changes one node may watch. */
  readonly watchedOwnersMax: number;
  readonly sweepMs: number;
  readonly sweepRowsMax: number;
  /** A blob that no row refers to is removed once it is older than this. */
  readonly blobOrphanMs: number;
  /** Blobs examined per sweep. */
  readonly sweepBlobsMax: number;
}
