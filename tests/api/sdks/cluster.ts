import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Four simulated providers, one of which uses the messages dialect; rate limits are disabled. */
export const openCluster = sharedCluster({ simulators: ['sim-a', 'sim-b', 'sim-c', 'sim-d'], rates: UNLIMITED });
