import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Bounds of bodies and streams that are small enough to reach, keep-alive comments after 150 ms. */
export const openCluster = sharedCluster({
  rates: UNLIMITED,
  edge: { bodyBytesMax: 100_000, keepAliveCommentMs: 150, streamBufferBytesMax: 64 * 1024, streamStalledMs: 500 },
});
