import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Listening, LoadProcess, listening } from '../bench/child.ts';
import type { Load, LoadResult } from '../bench/load.ts';
import { openAccounts } from '../chaos/bank.ts';
import type { Payer } from '../chaos/workload.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import type { AttackSite } from './attacks.ts';
import { SERVED_PATH } from './bare.ts';
import { hostileDeclaration } from './hostile-provider.ts';
import { type CpuShares, cpuShares, sampleCpu } from './machine.ts';
import { RefusalCounts, refusalCounts } from './refusal-counts.ts';

/** Another tenant: 5 requests/s. */
const TENANT = { perSecond: 5, inFlight: 32 };
const HELLO = JSON.stringify({ model: 'sim/fast', max_tokens: 16, messages: [{ role: 'user', content: 'hello' }] });

const SIMULATORS = ['sim-a', 'sim-v'] as const;

type Amount = Pick<Load, 'inFlight' | 'seconds' | 'perSecond'>;

/** What was seen beside an attack, or without one. */
export interface Seen {
  /** Requests of another tenant to the product. */
  readonly tenant: LoadResult;
  /** At the same times: as many wake-ups of processes, without the product. */
  readonly chain: LoadResult;
  readonly cpu: CpuShares;
  /** Refusals for overload, as the nodes measured them from the head to the answer. */
  readonly refusals: RefusalCounts;
  /** A node that loses its lease ends, and starts again under another process id. */
  readonly ended: string | null;
}

/** What a bare proxy did. */
export interface Bare {
  /** At the loads that found the peak of the cluster: the best of them. */
  readonly peak: LoadResult;
  readonly offered: LoadResult;
  readonly tenant: LoadResult;
}

/** Three node processes with their launcher, a simulated and a hostile provider, and the generators, all processes. */
export class Site {
  readonly #cluster: LaunchedCluster;
  readonly #payers: readonly Payer[];
  readonly #strength: number;
  readonly #evil: ChildProcess;
  readonly #helpers: readonly Listening[];
  readonly #chainPort: number;
  readonly #tenant = new LoadProcess();
  readonly #chain = new LoadProcess();
  readonly #load = new LoadProcess();

  private constructor(parts: {
    readonly cluster: LaunchedCluster;
    readonly payers: readonly Payer[];
    readonly strength: number;
    readonly evil: ChildProcess;
    readonly helpers: readonly Listening[];
    readonly chainPort: number;
  }) {
    this.#cluster = parts.cluster;
    this.#payers = parts.payers;
    this.#strength = parts.strength;
    this.#evil = parts.evil;
    this.#helpers = parts.helpers;
    this.#chainPort = parts.chainPort;
  }

  static async open(strength: number): Promise<Site> {
    const evil = fork(fileURLToPath(new URL('./hostile-provider.ts', import.meta.url)));
    const [address] = (await once(evil, 'message')) as [string];
    const main = '../../gateway/simulator/main.ts';
    const simulators = await Promise.all(SIMULATORS.map((name) => listening(main, ['--name', name])));
    const back = await listening('../attack/chain.ts', ['back']);
    const front = await listening('../attack/chain.ts', ['front', String(back.port)]);
    const providers = [
      ...SIMULATORS.map((name, nth) => simulatedProvider(name, `http://127.0.0.1:${simulators[nth]?.port}/v1`)),
      hostileDeclaration(address),
    ];
    const cluster = await LaunchedCluster.start({ rates: UNLIMITED, providers, demo: { enabled: false } });
    const payers = await openAccounts(cluster, 3, '100000');
    const helpers = [...simulators, front, back];
    const site = new Site({ cluster, payers, strength, evil, helpers, chainPort: front.port });
    // The attacker stands for other machines: on this one it must not delay the nodes. So do the simulated providers,
    // which the nodes in turn must not delay: they answer both tenants and take a tenth of the processors at most.
    const others = [process.pid, evil.pid, site.#load.pid];
    for (const pid of others) if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    return site;
  }

  /** The first account is the attacker's. */
  target(goesOn: () => boolean): AttackSite {
    const { operator_url: operatorUrl = '', nodes = [] } = this.#cluster.connection() ?? {};
    const grpc = nodes.map((node) => node.grpc);
    const { key } = this.#payers[0] as Payer;
    return { baseUrl: this.#cluster.baseUrl, operatorUrl, grpc, key, goesOn, strength: this.#strength };
  }

  /** Runs `attack` and, beside it for so many seconds, the other tenant and the chain. */
  async beside<T>(seconds: number, attack: () => Promise<T>): Promise<Seen & { readonly found: T }> {
    const pids = this.#pids();
    const nodes = this.#nodes();
    const before = sampleCpu(pids);
    const refusedBefore = await this.#refusals();
    const beside = { ...TENANT, seconds };
    const [found, tenant, chain] = await Promise.all([
      attack(),
      this.#tenant.run(this.#loadOf(this.#payers[1] as Payer, beside)),
      this.#chain.run({ port: this.#chainPort, path: '/', headers: {}, body: '', ...beside }),
    ]);
    const cpu = cpuShares(before, sampleCpu(pids));
    const ended = nodes === this.#nodes() ? null : `${nodes} became ${this.#nodes()}`;
    const refusals = (await this.#refusals()).since(refusedBefore);
    return { found, tenant, chain, cpu, refusals, ended };
  }

  /** The third account sends what is asked. */
  load(load: Amount): Promise<LoadResult> {
    return this.#load.run(this.#loadOf(this.#payers[2] as Payer, load));
  }

  /** The most that is served at one of these loads. */
  peak(loads: readonly Amount[]): Promise<LoadResult> {
    return bestOf(loads, (load) => this.load(load));
  }

  /**
   * The same overload on a bare proxy with the other tenant's requests beside it: what the machine and Node make of so
   * many connections. Its code has run before, as that of the cluster has.
   */
  async bare(warmUp: Amount, peaks: readonly Amount[], load: Amount): Promise<Bare> {
    const bare = await listening('../attack/bare.ts', ['serve', `http://127.0.0.1:${this.#helpers[0]?.port}`]);
    try {
      const on = { port: bare.port, headers: {}, body: HELLO };
      const run = (amount: Amount): Promise<LoadResult> => this.#load.run({ ...on, path: '/', ...amount });
      await run(warmUp);
      const peak = await bestOf(peaks, run);
      const [offered, tenant] = await Promise.all([
        run(load),
        this.#tenant.run({ ...on, path: SERVED_PATH, ...TENANT, seconds: load.seconds }),
      ]);
      return { peak, offered, tenant };
    } finally {
      await bare.stop();
    }
  }

  #loadOf({ key }: Payer, amount: Amount): Load {
    const headers = { authorization: `Bearer ${key}` };
    return { port: this.#cluster.port, path: '/api/v1/chat/completions', headers, body: HELLO, ...amount };
  }

  async #refusals(): Promise<RefusalCounts> {
    const { nodes = [], operator_token: token = '' } = this.#cluster.connection() ?? {};
    const counts = await Promise.all(nodes.map(({ operator_url }) => refusalCounts(operator_url, token)));
    return counts.reduce((sum, each) => sum.and(each), new RefusalCounts([]));
  }

  #pids(): Readonly<Record<string, readonly number[]>> {
    const nodes = (this.#cluster.connection()?.nodes ?? []).map(({ pid }) => pid);
    const providers = [this.#evil.pid ?? 0, ...this.#helpers.map(({ pid }) => pid)];
    const generators = [process.pid, ...[this.#tenant, this.#chain, this.#load].map(({ pid }) => pid)];
    return { nodes, launcher: [this.#cluster.pid], generators, providers };
  }

  #nodes(): string {
    return (this.#cluster.connection()?.nodes ?? []).map(({ name, pid }) => `${name}=${pid}`).join(' ');
  }

  async close(): Promise<void> {
    await Promise.all([this.#tenant, this.#chain, this.#load].map((each) => each.stop()));
    await this.#cluster.stop();
    await Promise.all(this.#helpers.map((each) => each.stop()));
    this.#evil.disconnect();
  }
}

async function bestOf(loads: readonly Amount[], run: (load: Amount) => Promise<LoadResult>): Promise<LoadResult> {
  const results: LoadResult[] = [];
  for (const load of loads) results.push(await run(load));
  return results.reduce((best, each) => (each.answered / each.seconds > best.answered / best.seconds ? each : best));
}
