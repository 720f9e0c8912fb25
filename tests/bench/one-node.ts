import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';

const UNLIMITED = 1_000_000_000;

/**
 * One gateway node over one simulated provider, limits out of the way. `kept`: in this folder.
 */
export function oneNode(simulatorPort: number, kept: string | null = null): Promise<LaunchedCluster> {
  return nodesOf(1, simulatorPort, kept);
}

/** The same with several nodes on this machine. */
export function nodesOf(count: number, simulatorPort: number, kept: string | null = null): Promise<LaunchedCluster> {
  const names = Array.from({ length: count }, (_, at) => `n${at + 1}`);
  const config = {
    nodes: names.map((name) => ({ name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0' })),
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    providers: [simulatedProvider('sim-a', `http://127.0.0.1:${simulatorPort}/v1`)],
  };
  return LaunchedCluster.start(config, kept === null ? {} : { kept });
}
