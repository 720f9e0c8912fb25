import type { TransportLimits } from '../ports/transport.ts';

/** Bounds and times of the cluster layer, in the configuration's own words. Times in ms. */
export interface ClusterLimits extends TransportLimits {
  readonly shards: number;
  readonly heartbeatMs: number;
  /** A peer counts as heard when its last frame is younger than this. */
  readonly heardMs: number;
  /** Outside the live set for this long is voted out. */
  readonly outsideMs: number;
  /** A heartbeat row unchanged for this long is voted out. */
  readonly staleMs: number;
  readonly readLeaseMs: number;
  /** Asks in flight per link, and asks waiting for an owner, at most. */
  readonly asksInFlightMax: number;
  readonly watchersMax: number;
  readonly sweepMs: number;
  readonly sweepRowsMax: number;
  /** A blob that no row refers to is removed once it is older than this. */
  readonly blobOrphanMs: number;
  /** Blobs looked at per sweep. */
  readonly sweepBlobsMax: number;
}
