import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { fileURLToPath } from 'node:url';
import { preferred } from '../../actors/runtime/cluster/shards/shard-map.ts';
import { type Operation, operations } from '../support/auditor/history.ts';
import { storeFile } from '../support/auditor/store-file.ts';
import type { NodeSeen, Owners, StoreView } from '../support/auditor/store-view.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { openAccounts } from './bank.ts';
import { chance } from './chance.ts';
import { isAlive, until } from './nemesis.ts';
import { Providers } from './providers.ts';
import { type Payer, Workload } from './workload.ts';

interface DrainsOptions {
  /** How each node is drained: n1 by the first way, n2 by the second, and so on. */
  readonly ways: readonly ('SIGTERM' | 'troupe drain')[];
  readonly inFlight: number;
  /** Pause of a client between two requests; absent: none. */
  readonly restMs?: number | undefined;
  /** Duration of load before each drain and after the last. */
  readonly calmMs: number;
}

/** One node that drained under load and came back. Monotonic ms. */
export interface Drain {
  readonly node: string;
  /** From the drain request until its next process serves. */
  readonly from: number;
  readonly to: number;
  /** From the drain request until the old process had exited. */
  readonly exitMs: number;
  readonly join: Join;
}

/** The shards that the next process took. */
interface Join {
  /** From its registration until it owned all shards assigned to it; null if it never did. */
  readonly tookMs: number | null;
  /** Shards assigned to it, and all shards that moved since its registration. */
  readonly share: number;
  readonly moved: number;
  /** Moves to another node, and repeated moves of one shard. */
  readonly needless: number;
}

interface Drains {
  readonly operations: readonly Operation[];
  readonly drains: readonly Drain[];
}

const UNLIMITED = 1_000_000_000;
const GONE_MS = 40_000;
const SHARE_MS = 60_000;
/** A look at the owners reads every shard. */
const LOOK_MS = 50;
const BIN = fileURLToPath(new URL('../../bin/troupe.mjs', import.meta.url));

/** Restarts the nodes of a cluster under load, one after the other, and records failed calls and shard moves. */
export async function rollingDrains({ ways, inFlight, restMs, calmMs }: DrainsOptions): Promise<Drains> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-drain-'));
  const providers = await Providers.start(folder);
  const cluster = await LaunchedCluster.start({
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    demo: { enabled: false, simulators: 0 },
    providers: providers.declarations,
  });
  const store = storeFile(join(cluster.data, 'troupe.db'));
  try {
    const payers = await openAccounts(cluster, 12, '100');
    const [poor] = await openAccounts(cluster, 1, '0.0000001');
    const workload = new Workload({
      ...{ base: cluster.baseUrl, payers, poor: poor as Payer, inFlight, restMs, chance: chance(7) },
    });
    workload.start();
    const drains: Drain[] = [];
    for (const [at, way] of ways.entries()) {
      await pause(calmMs);
      drains.push(await drain({ cluster, store, name: `n${at + 1}`, way }));
    }
    await pause(calmMs);
    await workload.stop();
    return { operations: operations(workload.history), drains };
  } finally {
    await store.close();
    await cluster.stop();
    await providers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface DrainParts {
  readonly cluster: LaunchedCluster;
  readonly store: StoreView;
  readonly name: string;
  readonly way: DrainsOptions['ways'][number];
}

async function drain({ cluster, store, name, way }: DrainParts): Promise<Drain> {
  const node = cluster.connection()?.nodes.find((each) => each.name === name);
  if (!node) throw new Error(`${name} does not serve`);
  const from = performance.now();
  if (way === 'SIGTERM') kill(node.pid, 'SIGTERM');
  else await byCommand(cluster.data, name);
  if (!(await until(() => !isAlive(node.pid), GONE_MS))) throw new Error(`${name} did not exit within ${GONE_MS} ms`);
  const exitMs = performance.now() - from;
  const joined = await watchJoin(store, name);
  const isBack = (): boolean =>
    cluster.connection()?.nodes.some((each) => each.name === name && each.pid !== node.pid) ?? false;
  if (!(await until(isBack, GONE_MS, LOOK_MS))) throw new Error(`${name} was not replaced within ${GONE_MS} ms`);
  return { node: name, from, to: performance.now(), exitMs, join: joined };
}

async function byCommand(data: string, name: string): Promise<void> {
  const child = spawn(process.execPath, [BIN, 'drain', name, '--data', data, '--reason', 'a rolling restart'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`troupe drain ${name} ended with ${code}`);
}

/** Follows the next process of `name` from its registration in the store. */
async function watchJoin(store: StoreView, name: string): Promise<Join> {
  let before: Owners = await store.owners();
  let newcomer: NodeSeen | undefined;
  const appeared = await until(
    async () => {
      const now = await store.owners();
      newcomer = [...now.nodes.values()].find((node) => node.name === name);
      if (!newcomer) before = now;
      return newcomer !== undefined;
    },
    GONE_MS,
    LOOK_MS,
  );
  if (!appeared || !newcomer) throw new Error(`${name} never came back`);
  const since = performance.now();
  const nodes = [...(await store.owners()).nodes.values()];
  const meant = before.shards.filter(({ shard }) => preferred(shard, nodes)?.incarnation === newcomer?.incarnation);
  const isWhole = async (): Promise<boolean> => {
    const { shards } = await store.owners();
    return meant.every(({ shard }) => shards.find((each) => each.shard === shard)?.owner === newcomer?.incarnation);
  };
  const whole = await until(isWhole, SHARE_MS, LOOK_MS);
  const tookMs = whole ? performance.now() - since : null;
  const epochs = new Map(before.shards.map(({ shard, epoch }) => [shard, epoch]));
  const moved = (await store.owners()).shards.filter(({ shard, epoch }) => epoch !== epochs.get(shard));
  const rightly = moved.filter(
    ({ shard, owner, epoch }) => owner === newcomer?.incarnation && epoch === (epochs.get(shard) ?? 0) + 1,
  );
  return { tookMs, share: meant.length, moved: moved.length, needless: moved.length - rightly.length };
}

/** Calls that should have succeeded and did not, each as a short text. */
export function failuresOf(all: readonly Operation[]): readonly string[] {
  return all
    .filter(({ invoke, outcome }) => invoke.expects === 'ok' && outcome?.type !== 'ok')
    .map(({ outcome }) =>
      outcome?.type === 'fail' ? `${outcome.status}` : outcome?.type === 'unknown' ? outcome.reason : 'no end',
    );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
