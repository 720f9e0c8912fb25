import { openAccounts } from '../chaos/bank.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { type Listening, LoadProcess, listening } from './child.ts';
import type { Load } from './load.ts';
import { nodesOf } from './one-node.ts';

const HOT_ACCOUNT_USD = '1000000';

/** One of the two things compared: where to send, and whose CPU time to read. */
export interface Side {
  readonly name: 'bare' | 'ours';
  readonly pid: number;
  readonly target: Pick<Load, 'port' | 'path' | 'headers'>;
}

/** Baseline proxy and gateway nodes in front of the same simulator, with a load generator beside them. */
export class Sides {
  readonly bare: Side;
  readonly ours: Side;
  readonly load: LoadProcess;
  readonly #processes: readonly Listening[];
  readonly #cluster: LaunchedCluster;

  private constructor(processes: readonly [Listening, Listening], cluster: LaunchedCluster, key: string) {
    const node = cluster.connection()?.nodes[0];
    if (!node) throw new Error('the cluster named no node');
    this.#processes = processes;
    this.#cluster = cluster;
    this.load = new LoadProcess();
    this.bare = {
      name: 'bare',
      pid: processes[1].pid,
      target: { port: processes[1].port, path: '/v1/chat/completions', headers: {} },
    };
    this.ours = {
      name: 'ours',
      pid: node.pid,
      target: {
        port: cluster.port,
        path: '/api/v1/chat/completions',
        headers: { authorization: `Bearer ${key}` },
      },
    };
  }

  static async start(proxy: './bare-proxy.ts' | './bare-sse-proxy.ts', nodes = 1): Promise<Sides> {
    const simulator = await listening('../../gateway/simulator/main.ts', ['--name', 'sim-a']);
    const bare = await listening(proxy, [`http://127.0.0.1:${simulator.port}`]);
    const cluster = await nodesOf(nodes, simulator.port);
    const [payer] = await openAccounts(cluster, 1, HOT_ACCOUNT_USD);
    return new Sides([simulator, bare], cluster, payer?.key ?? '');
  }

  async stop(): Promise<void> {
    await this.load.stop();
    await this.#cluster.stop();
    for (const each of this.#processes) await each.stop();
  }
}
