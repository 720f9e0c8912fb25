import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectOperator } from '../../actors/runtime/inspect/client.ts';
import { openAccounts } from '../chaos/bank.ts';
import { chance } from '../chaos/chance.ts';
import { LaunchedCluster } from '../chaos/launched-cluster.ts';
import { isAlive, until } from '../chaos/nemesis.ts';
import { Providers } from '../chaos/providers.ts';
import { type Payer, Workload } from '../chaos/workload.ts';
import { type Operation, operations } from '../support/auditor/history.ts';
import type { Figure } from './figure.ts';

const UNLIMITED = 1_000_000_000;
const IN_FLIGHT = 12;
const CALM_MS = 4_000;
const GONE_MS = 40_000;

/** Drains every node of a cluster under load, one after the other: calls that failed, and what it added to the others. */
export async function benchDrain(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-drain-'));
  const providers = await Providers.start(folder);
  const cluster = await LaunchedCluster.start({
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    demo: { enabled: false, simulators: 0 },
    providers: providers.declarations,
  });
  try {
    const payers = await openAccounts(cluster, 12, '100');
    const [poor] = await openAccounts(cluster, 1, '0.0000001');
    const workload = new Workload({
      url: `${cluster.baseUrl}/chat/completions`,
      payers,
      poor: poor as Payer,
      inFlight: IN_FLIGHT,
      chance: chance(7),
    });
    workload.start();
    await pause(CALM_MS);
    const drains: { from: number; to: number }[] = [];
    for (const name of ['n1', 'n2', 'n3']) {
      drains.push(await drain(cluster, name));
      await pause(CALM_MS);
    }
    await workload.stop();
    return figures(operations(workload.history), drains);
  } finally {
    await cluster.stop();
    await providers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** From the word to the moment the node is gone and its successor serves. */
async function drain(cluster: LaunchedCluster, name: string): Promise<{ from: number; to: number }> {
  const connection = cluster.connection();
  const node = connection?.nodes.find((each) => each.name === name);
  if (!connection || !node) throw new Error(`${name} does not serve`);
  const from = performance.now();
  const operator = connectOperator(node.grpc, connection.operator_token);
  await operator.drain(name).finally(() => operator.close());
  const gone = await until(() => !isAlive(node.pid), GONE_MS);
  const isBack = (): boolean =>
    cluster.connection()?.nodes.some((each) => each.name === name && each.pid !== node.pid) ?? false;
  const back = await until(isBack, GONE_MS);
  if (!gone || !back) throw new Error(`${name} was not drained and replaced within ${GONE_MS} ms`);
  return { from, to: performance.now() };
}

function figures(all: readonly Operation[], drains: readonly { from: number; to: number }[]): readonly Figure[] {
  const meant = all.filter(({ invoke }) => invoke.expects === 'ok');
  const failed = meant.filter(({ outcome }) => outcome?.type !== 'ok');
  const during = ({ invoke, outcome }: Operation): boolean =>
    drains.some(({ from, to }) => invoke.at <= to && (outcome?.at ?? Number.POSITIVE_INFINITY) >= from);
  const quick = meant.filter(
    ({ invoke, outcome }) => outcome?.type === 'ok' && !invoke.stream && invoke.model === 'sim/fast',
  );
  const p99 = (operations: readonly Operation[]): number => {
    const times = operations.map(({ invoke, outcome }) => (outcome?.at ?? 0) - invoke.at).sort((a, b) => a - b);
    return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  };
  const reasons = failed.map(({ outcome }) =>
    outcome?.type === 'fail' ? `${outcome.status}` : outcome?.type === 'unknown' ? outcome.reason : 'no end',
  );
  return [
    {
      name: `failed calls in ${drains.length} drains`,
      unit: 'calls',
      ours: failed.length,
      baseline: null,
      goal: { atMost: 0, of: 'value' },
      note: `of ${meant.length}${failed.length > 0 ? `: ${[...new Set(reasons)].join(', ')}` : ''}`,
    },
    {
      name: 'whole answer while a node drains, p99',
      unit: 'ms',
      ours: p99(quick.filter(during)),
      baseline: p99(quick.filter((operation) => !during(operation))),
      goal: { atMost: 250, of: 'difference' },
    },
  ];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
