import { rmSync } from 'node:fs';
import { readPepper } from '../../gateway/operator/config/secrets.ts';
import { openAccounts } from '../chaos/bank.ts';
import type { Payer } from '../chaos/workload.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { cpuSeconds, type Listening, LoadProcess, listening } from './child.ts';
import { storeCopies, storedKey } from './copies.ts';
import { withSqlite } from './copy-sinks.ts';
import { type Figure, median } from './figure.ts';
import type { Load } from './load.ts';
import { oneNode } from './one-node.ts';
import type { Settings } from './settings.ts';

const FEW = 1_000;
const MANY = 1_000_000;
/** Active accounts, the same number on both sides; only the number of other stored accounts differs. */
const ASKING = 64;
const WARM_SECONDS = 6;
const MICRO = 1e6;
const BODY = JSON.stringify({
  model: 'sim/fast',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Which river?' }],
});

/** The cost of one request with a thousand accounts stored, and with a million; `--accounts N` for fewer. */
export async function benchGrowth({ accounts: given, rounds, seconds }: Settings): Promise<readonly Figure[]> {
  const accounts = given ?? MANY;
  const simulator = await listening('../../gateway/simulator/main.ts', ['--name', 'sim-a']);
  const load = new LoadProcess();
  const clusters: LaunchedCluster[] = [];
  try {
    for (const count of [FEW, accounts]) clusters.push(await stocked(simulator, count));
    const costs = clusters.map((): number[] => []);
    for (const cluster of clusters) await measure(load, cluster, WARM_SECONDS);
    for (let round = 0; round < rounds; round++)
      for (const [at, cluster] of clusters.entries()) costs[at]?.push(await measure(load, cluster, seconds));
    const [few, many] = costs as [number[], number[]];
    return [
      {
        name: `CPU of one request, ${ASKING} of ${accounts.toLocaleString('en-US')} accounts asking`,
        unit: 'us',
        ours: median(many),
        baseline: median(few),
        goal: { atMost: 1.1, of: 'ratio' },
        note: `baseline: ${ASKING} of ${FEW.toLocaleString('en-US')}`,
      },
    ];
  } finally {
    await load.stop();
    for (const cluster of clusters) await cluster.stop();
    await simulator.stop();
  }
}

/** A node over a database with that many accounts. */
export async function stocked(simulator: Listening, count: number): Promise<LaunchedCluster> {
  const making = await oneNode(simulator.port);
  const { data } = making;
  try {
    const name = 'Customer 0000000';
    const [payer] = await openAccounts(making, 1, '1000000', name);
    const pepper = await readPepper(data);
    await making.stop(true);
    const original = { ...(payer as Payer), name };
    await withSqlite(data, (sink) => storeCopies(sink, original, { pepper, count, begun: Date.now(), spreadMs: 0 }));
    return await oneNode(simulator.port, data);
  } catch (error) {
    await making.stop();
    rmSync(data, { recursive: true, force: true });
    throw error;
  }
}

/** CPU seconds of the node for one request, in microseconds. */
async function measure(load: LoadProcess, cluster: LaunchedCluster, seconds: number): Promise<number> {
  const pid = cluster.connection()?.nodes[0]?.pid ?? 0;
  const before = cpuSeconds(pid);
  const requests: Load = {
    ...{ port: cluster.port, path: '/api/v1/chat/completions', headers: {}, body: BODY },
    ...{ inFlight: ASKING, seconds, keys: Array.from({ length: ASKING }, (_, n) => storedKey(n + 1)) },
  };
  const { answered, failures } = await load.run(requests);
  if (Object.keys(failures).length > 0) throw new Error(`failures ${JSON.stringify(failures)}`);
  return ((cpuSeconds(pid) - before) / answered) * MICRO;
}
