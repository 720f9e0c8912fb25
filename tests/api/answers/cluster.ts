import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Two simulated providers and the one that renders, one node; rate limits are disabled. */
export const openCluster = sharedCluster({ rates: UNLIMITED, simulators: ['sim-a', 'sim-b', 'sim-v'] });
