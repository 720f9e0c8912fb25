import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** One node, small bounds. */
export const openCluster = sharedCluster({
  edge: { bodyBytesMax: 300_000, streamBufferBytesMax: 64 * 1024, streamStalledMs: 2_000 },
  rates: { ...UNLIMITED, endpointPerMinute: 1e9 },
});
