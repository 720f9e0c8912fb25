import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Three nodes, no provider; rate limits are disabled. */
export const openCluster = sharedCluster({ nodes: 3, rates: UNLIMITED, simulators: ['sim-a'] });
