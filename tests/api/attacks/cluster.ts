import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Two simulated providers, default bounds of the edge; rate limits are disabled. */
export const openCluster = sharedCluster({ rates: UNLIMITED });
