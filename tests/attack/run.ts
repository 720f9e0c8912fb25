import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LoadProcess, listening } from '../bench/child.ts';
import type { Load, LoadResult } from '../bench/load.ts';
import { openAccounts } from '../chaos/bank.ts';
import type { Payer } from '../chaos/workload.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { ATTACKS, type AttackSite } from './attacks.ts';
import { hostileDeclaration } from './hostile-provider.ts';

export interface AttackSettings {
  /** Of the whole run, divided over the attacks. */
  readonly seconds: number;
  /** Parts of the names of attacks; empty: all. */
  readonly only: readonly string[];
  readonly strength: number;
  readonly tell: (line: string) => void;
}

export interface Outcome {
  readonly name: string;
  readonly line: number;
  readonly held: boolean;
  readonly detail: string;
}

/** Another tenant: 5 requests/s, all of which succeed with a p99 of at most three times the quiet one. */
const TENANT = { perSecond: 5, inFlight: 32, slowerMax: 3 };
const OVERLOAD = { factor: 10, goodputMin: 0.8, refusedMsMax: 50, peakInFlight: 64, inFlight: 2_048 };
const OVERLOADED = { name: 'overload', line: 9 };
const HELLO = JSON.stringify({ model: 'sim/fast', max_tokens: 16, messages: [{ role: 'user', content: 'hello' }] });

/** Runs every attack against a cluster of processes with load of another tenant beside it. */
export async function runAttacks({ seconds, only, strength, tell }: AttackSettings): Promise<readonly Outcome[]> {
  const chosen = (name: string): boolean => only.length === 0 || only.some((part) => name.includes(part));
  const attacks = ATTACKS.filter(({ name }) => chosen(name));
  const withOverload = chosen(OVERLOADED.name);
  const share = seconds / (attacks.length + (withOverload ? 2 : 1));
  const site = await Site.open(strength);
  const outcomes: Outcome[] = [];
  const add = (outcome: Outcome): void => {
    outcomes.push(outcome);
    tell(`${outcome.held ? 'held  ' : 'FAILED'}  line ${outcome.line}, ${outcome.name}: ${outcome.detail}`);
  };
  try {
    const quiet = await site.tenant(share);
    tell(
      `quiet: ${quiet.answered} requests of the tenant, p50 ${ms(quiet.latencyMs.p50)}, p99 ${ms(quiet.latencyMs.p99)}`,
    );
    for (const attack of attacks) {
      const began = performance.now();
      const goesOn = (): boolean => performance.now() - began < share * 1_000;
      const [found, tenant] = await Promise.all([attack.run(await site.target(goesOn)), site.tenant(share)]);
      add(site.judged(attack, [found], tenant, quiet));
    }
    if (withOverload) {
      const peak = await site.load({ inFlight: OVERLOAD.peakInFlight, seconds: share / 4 });
      const perSecond = (peak.answered / peak.seconds) * OVERLOAD.factor * strength;
      const [offered, tenant] = await Promise.all([
        site.load({ inFlight: OVERLOAD.inFlight, seconds: (share * 3) / 4, perSecond }),
        site.tenant((share * 3) / 4),
      ]);
      add(site.judged(OVERLOADED, goodput(peak, offered, perSecond), tenant, quiet));
    }
    return outcomes;
  } finally {
    await site.close();
  }
}

/** What an overload did not hold; the figures come last in any case. */
function goodput(peak: LoadResult, offered: LoadResult, perSecond: number): readonly (string | null)[] {
  const [best, kept] = [peak.answered / peak.seconds, offered.answered / offered.seconds];
  const wrong = Object.keys(offered.failures).filter((status) => status !== '503');
  return [
    kept < best * OVERLOAD.goodputMin ? `goodput ${Math.round((100 * kept) / best)} % of the peak` : null,
    offered.refusedMs.p99 > OVERLOAD.refusedMsMax ? `refused within ${ms(offered.refusedMs.p99)}` : null,
    wrong.length > 0 ? `answered ${wrong.join(', ')}` : null,
    `(peak ${Math.round(best)}/s, offered ${Math.round(perSecond)}/s, served ${Math.round(kept)}/s, refused p50 ${ms(offered.refusedMs.p50)} p99 ${ms(offered.refusedMs.p99)})`,
  ];
}

class Site {
  readonly #cluster: LaunchedCluster;
  readonly #close: (() => Promise<void>)[];
  readonly #payers: readonly Payer[];
  readonly #strength: number;
  readonly #tenant = new LoadProcess();
  readonly #load = new LoadProcess();
  #pids: string;

  private constructor(parts: {
    readonly cluster: LaunchedCluster;
    readonly payers: readonly Payer[];
    readonly strength: number;
    readonly close: (() => Promise<void>)[];
  }) {
    this.#cluster = parts.cluster;
    this.#payers = parts.payers;
    this.#strength = parts.strength;
    this.#close = parts.close;
    this.#pids = this.#nodes();
  }

  static async open(strength: number): Promise<Site> {
    const evil = fork(fileURLToPath(new URL('./hostile-provider.ts', import.meta.url)), {
      execArgv: ['--import', 'tsx'],
    });
    const [address] = (await once(evil, 'message')) as [string];
    const simulator = await listening('../../gateway/simulator/main.ts', ['--name', 'sim-a']);
    const providers = [
      simulatedProvider('sim-a', `http://127.0.0.1:${simulator.port}/v1`),
      hostileDeclaration(address),
    ];
    const cluster = await LaunchedCluster.start({ rates: UNLIMITED, providers, demo: { enabled: false } });
    const payers = await openAccounts(cluster, 3, '100000');
    const close = [() => cluster.stop().then(() => {}), () => simulator.stop(), async () => evil.disconnect()];
    return new Site({ cluster, payers, strength, close });
  }

  /** The first account is the attacker's. */
  async target(goesOn: () => boolean): Promise<AttackSite> {
    const { operator_url: operatorUrl = '', nodes = [] } = this.#cluster.connection() ?? {};
    const grpc = nodes.map((node) => node.grpc);
    const { key } = this.#payers[0] as Payer;
    return { baseUrl: this.#cluster.baseUrl, operatorUrl, grpc, key, goesOn, strength: this.#strength };
  }

  /** The second account sends its few requests, on connections to all nodes. */
  tenant(seconds: number): Promise<LoadResult> {
    return this.#tenant.run(this.#loadOf(this.#payers[1] as Payer, { ...TENANT, seconds }));
  }

  /** The third account sends what is asked. */
  load(load: Pick<Load, 'inFlight' | 'seconds' | 'perSecond'>): Promise<LoadResult> {
    return this.#load.run(this.#loadOf(this.#payers[2] as Payer, load));
  }

  #loadOf({ key }: Payer, load: Pick<Load, 'inFlight' | 'seconds' | 'perSecond'>): Load {
    const headers = { authorization: `Bearer ${key}` };
    return { port: this.#cluster.port, path: '/api/v1/chat/completions', headers, body: HELLO, ...load };
  }

  judged(
    { name, line }: Pick<Outcome, 'name' | 'line'>,
    found: readonly (string | null)[],
    tenant: LoadResult,
    quiet: LoadResult,
  ): Outcome {
    const faults = found.filter((each) => each !== null && !each.startsWith('('));
    const notes = found.filter((each) => each?.startsWith('('));
    const failed = Object.entries(tenant.failures).map(([status, count]) => `${count} times ${status}`);
    if (failed.length > 0) faults.push(`the tenant was answered ${failed.join(', ')}`);
    if (!(tenant.latencyMs.p99 <= quiet.latencyMs.p99 * TENANT.slowerMax))
      faults.push(`the tenant waits ${(tenant.latencyMs.p99 / quiet.latencyMs.p99).toFixed(1)} times as long`);
    const nodes = this.#nodes();
    if (nodes !== this.#pids) faults.push(`a node ended: ${this.#pids} became ${nodes}`);
    this.#pids = nodes;
    const seen = `tenant ${tenant.answered} answered, p50 ${ms(tenant.latencyMs.p50)}, p99 ${ms(tenant.latencyMs.p99)}`;
    return { name, line, held: faults.length === 0, detail: [...faults, seen, ...notes].join('; ') };
  }

  /** A node that loses its lease ends, and starts again under another process id. */
  #nodes(): string {
    return (this.#cluster.connection()?.nodes ?? []).map(({ name, pid }) => `${name}=${pid}`).join(' ');
  }

  async close(): Promise<void> {
    await Promise.all([this.#tenant.stop(), this.#load.stop()]);
    for (const close of this.#close) await close();
  }
}

/** A percentile of nothing is NaN, which arrives from another process as null. */
function ms(value: number | null): string {
  return value === null ? 'none' : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
