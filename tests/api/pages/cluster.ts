import { sharedCluster, UNLIMITED } from '../../support/cluster/shared-cluster.ts';

/** Three nodes behind proxies on this machine; rate limits are disabled. */
export const openCluster = sharedCluster({
  ...{ nodes: 3, rates: UNLIMITED, simulators: ['sim-a'] },
  edge: { trustedProxies: ['127.0.0.0/8'] },
});
