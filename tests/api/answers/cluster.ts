import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Two simulated providers, one node; rate limits are disabled. */
export const openCluster = sharedCluster({ rates: UNLIMITED });
