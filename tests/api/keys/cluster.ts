import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Three nodes and, beside the providers of chat, the one that renders; rate limits are disabled. */
export const openCluster = sharedCluster({
  nodes: 3,
  simulators: ['sim-a', 'sim-b', 'sim-v'],
  rates: UNLIMITED,
  // The end of the tests waits for renders that they left behind.
  activities: { graceMs: 1_000 },
  renders: { drainMs: 1_000 },
});
