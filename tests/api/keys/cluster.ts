import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Three nodes; rate limits are disabled. */
export const openCluster = sharedCluster({ nodes: 3, rates: UNLIMITED });
