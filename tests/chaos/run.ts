import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config from '../../cluster.config.ts';
import { audit } from '../support/auditor/audit.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import { appendHistory, operations } from '../support/auditor/history.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { modelsDocument } from '../support/provider/models-document.ts';
import { openAccounts } from './bank.ts';
import { chance } from './chance.ts';
import { type ChaosStore, openChaosStore, type StoreKind } from './chaos-store.ts';
import { CRASH_POINTS, CrashPoints } from './crash-points.ts';
import { LaunchedCluster } from './launched-cluster.ts';
import { CUTS, type Cut, Links } from './links.ts';
import { Nemesis, type Strike, until } from './nemesis.ts';
import { Providers } from './providers.ts';
import { type ChaosReport, complaintsOf, countRequests } from './report.ts';
import { type Payer, Workload } from './workload.ts';

export interface ChaosOptions {
  readonly store: StoreKind;
  readonly kills: number;
  /** Nodes stopped (SIGSTOP) after that. */
  readonly stops: number;
  /** Nodes whose links are cut after that, one way and both ways by turns. */
  readonly cuts: number;
  readonly seed: number;
  readonly inFlight: number;
  /** Load without faults before the first and behind the last kill, and between two. */
  readonly calmMs: number;
  /** Keeps the data folder, the provider logs and the history; told where. */
  readonly keep: boolean;
  readonly tell: (line: string) => void;
}

const ACCOUNTS = 12;
const DEPOSIT_USD = '1000';
const POOR_USD = '0.0000001';
const SAMPLE_MS = 250;
const QUIET_MS = 60_000;
/** Each node carries store time on by its own clock between heartbeats; a busy machine lets two of them differ. */
const CLOCK_SLACK_MS = 1_000;
const UNLIMITED = 1_000_000_000;
/** What a node that came back sees of the load, roughly: a third of the fresh connections. */
const SHARE_OF_RESTARTED = 0.2;

/** One chaos run, from an empty folder to a verdict: cluster, providers, load, kills, quiet, audit. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-chaos-'));
  const providers = await Providers.start(folder);
  const crashPoints = new CrashPoints();
  const links = options.cuts > 0 ? await Links.open(config.nodes) : null;
  const store = await openChaosStore(options.store);
  let cluster: LaunchedCluster | null = null;
  try {
    const env = { ...crashPoints.env, ...links?.env };
    cluster = await LaunchedCluster.start({ ...overlay(providers), ...links?.overlay, store: store.config }, env);
    return await new Run(options, { folder, providers, crashPoints, cluster, links, store }).report();
  } finally {
    await cluster?.stop(options.keep);
    await links?.close();
    await providers.stop();
    await store.close();
    crashPoints.close();
    if (options.keep) options.tell(`kept ${folder} and ${cluster?.data}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

function overlay(providers: Providers): object {
  return {
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    demo: { enabled: false, simulators: 0 },
    providers: providers.declarations,
  };
}

interface Stage {
  readonly folder: string;
  readonly providers: Providers;
  readonly crashPoints: CrashPoints;
  readonly cluster: LaunchedCluster;
  /** Null in a run without cuts: nodes speak to each other directly then. */
  readonly links: Links | null;
  readonly store: ChaosStore;
}

class Run {
  readonly #options: ChaosOptions;
  readonly #stage: Stage;
  readonly #store: StoreView;
  readonly #samples: Evidence['samples'][number][] = [];
  readonly #chance: () => number;

  constructor(options: ChaosOptions, stage: Stage) {
    this.#options = options;
    this.#stage = stage;
    this.#store = stage.store.view(stage.cluster.data);
    this.#chance = chance(options.seed);
  }

  async report(): Promise<ChaosReport> {
    const { cluster, folder } = this.#stage;
    const payers = await openAccounts(cluster, ACCOUNTS, DEPOSIT_USD);
    const [poor] = await openAccounts(cluster, 1, POOR_USD);
    const workload = new Workload({
      url: `${cluster.baseUrl}/chat/completions`,
      payers,
      poor: poor as Payer,
      inFlight: this.#options.inFlight,
      chance: this.#chance,
    });
    const sampling = new AbortController();
    const sampled = this.#sampleUntil(sampling.signal);
    workload.start();
    const strikes = await this.#strikeAll(workload, payers).finally(() => sampling.abort());
    await sampled;
    await workload.stop();
    appendHistory(join(folder, 'history.jsonl'), workload.history);
    this.#options.tell('quiet: waiting for the last holds');
    await until(async () => (await this.#store.openHolds()) === 0, QUIET_MS);
    this.#samples.push(await this.#store.sample());
    const evidence = await this.#evidence(workload, payers, poor as Payer);
    const verdict = audit(evidence);
    const requests = countRequests(operations(evidence.history), strikes);
    const complaints = complaintsOf(strikes, verdict, requests);
    return { seed: this.#options.seed, strikes, verdict, requests, complaints };
  }

  async #sampleUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#samples.push(await this.#store.sample());
      await pause(SAMPLE_MS);
    }
  }

  async #strikeAll(workload: Workload, payers: readonly Payer[]): Promise<readonly Strike[]> {
    const nemesis = new Nemesis({
      store: this.#store,
      workload,
      payers,
      nodes: config.nodes.length,
      shards: config.runtime.shards,
      chance: this.#chance,
    });
    const strikes: Strike[] = [];
    const startedAt = performance.now();
    while (strikes.length < this.#options.kills) {
      await pause(this.#options.calmMs);
      const perMs = workload.answered / (performance.now() - startedAt);
      const point = CRASH_POINTS[(strikes.length >> 1) % CRASH_POINTS.length] as string;
      const armed = strikes.length + 1 < this.#options.kills;
      const killed = await nemesis.killAny((node) => armed && this.#arm(node.name, point, perMs));
      this.#tell(strikes.push(killed), killed, workload);
      if (!armed || killed.successor === null) continue;
      const crashed = await nemesis.awaitCrash(killed.successor, point);
      this.#tell(strikes.push(crashed), crashed, workload);
    }
    for (let stop = 0; stop < this.#options.stops; stop++) {
      await pause(this.#options.calmMs);
      const stopped = await nemesis.stopAny();
      this.#tell(strikes.push(stopped), stopped, workload);
    }
    for (let cut = 0; cut < this.#options.cuts; cut++) {
      await pause(this.#options.calmMs);
      const struck = await nemesis.cutAny(this.#stage.links as Links, CUTS[cut % CUTS.length] as Cut);
      this.#tell(strikes.push(struck), struck, workload);
    }
    await pause(this.#options.calmMs);
    return strikes;
  }

  /** The node that is killed now will die again, by itself, in the middle of its share of the load. */
  #arm(node: string, point: string, perMs: number): void {
    const times = Math.ceil(perMs * this.#options.calmMs * SHARE_OF_RESTARTED) + 1;
    this.#stage.crashPoints.arm(node, point, times);
  }

  #tell(count: number, strike: Strike, workload: Workload): void {
    const outcome = strike.struck
      ? `takeover ${strike.takeoverMs?.toFixed(0) ?? 'unseen'} ms, whole ${strike.healedMs?.toFixed(0) ?? 'never'} ms`
      : 'did not strike';
    const { kills, stops, cuts, tell } = this.#options;
    tell(
      `${count}/${kills + stops + cuts} ${strike.fault} on ${strike.node}: ${outcome}; ${workload.answered} answered`,
    );
  }

  /** The API is asked while the cluster still runs; the store is read after it has drained. */
  async #evidence(workload: Workload, payers: readonly Payer[], poor: Payer): Promise<Evidence> {
    const { cluster, providers } = this.#stage;
    const all = [...payers, poor];
    const credits = await Promise.all(all.map((payer) => creditsOf(cluster, payer)));
    const code = await cluster.stop(true);
    if (code !== 0) throw new Error(`the launcher drained and ended with ${code}: ${cluster.output.slice(-1_000)}`);
    const calls = await providers.stop();
    const ledger = await this.#store.dump();
    await this.#store.close();
    return {
      history: workload.history,
      calls,
      ledger,
      samples: this.#samples,
      credits,
      deposits: all.map((payer) => ({ account: payer.account, amount: payer === poor ? POOR_USD : DEPOSIT_USD })),
      models: Object.fromEntries(['sim-a', 'sim-b'].map((slug) => [slug, modelsDocument(slug) ?? { models: [] }])),
      slugs: providers.slugs,
      clockSlackMs: CLOCK_SLACK_MS,
    };
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The digits exactly as the API wrote them. */
async function creditsOf(cluster: LaunchedCluster, payer: Payer): Promise<Evidence['credits'][number]> {
  const response = await fetch(`${cluster.baseUrl}/credits`, { headers: { authorization: `Bearer ${payer.key}` } });
  const text = await response.text();
  const digits = (member: string): string => {
    const found = new RegExp(`"${member}":\\s*"?(-?[0-9.]+(?:[eE][+-]?\\d+)?)`).exec(text)?.[1];
    if (found === undefined) throw new Error(`/credits answered ${response.status} ${text.slice(0, 300)}`);
    return found;
  };
  return { account: payer.account, deposited: digits('total_credits'), used: digits('total_usage') };
}
