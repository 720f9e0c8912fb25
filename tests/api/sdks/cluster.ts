import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Four simulated providers, one of which speaks the messages dialect; rate limits out of the way. */
export const openCluster = sharedCluster({ simulators: ['sim-a', 'sim-b', 'sim-c', 'sim-d'], rates: UNLIMITED });
