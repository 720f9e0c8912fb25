import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Two simulated providers, one node; rate limits out of the way. */
export const openCluster = sharedCluster({ rates: UNLIMITED });
