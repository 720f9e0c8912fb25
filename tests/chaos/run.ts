import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config from '../../cluster.config.ts';
import type { ConnectionNode } from '../../gateway/operator/launcher/connection.ts';
import { audit } from '../support/auditor/audit.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import { appendHistory, operations } from '../support/auditor/history.ts';
import { pricesOf } from '../support/auditor/prices-of.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { FaultInjector } from '../support/faults/fault-injector.ts';
import { modelsDocument } from '../support/provider/simulated-provider.ts';
import { creditsOf, openAccounts } from './bank.ts';
import { chance } from './chance.ts';
import { type ChaosStore, openChaosStore, type StoreKind } from './chaos-store.ts';
import { BATCH_POINTS, CRASH_POINTS, CrashPoints, isOfBatch } from './crash-points.ts';
import { type FullDisk, fillDisk, problemsOfFullDisk } from './full-disk.ts';
import { Jobs } from './jobs.ts';
import { CUTS, type Cut, Links } from './links.ts';
import { type Frozen, Nemesis, type Strike, until } from './nemesis.ts';
import { type KeyOutage, loseKeyFolder, loseStore, type Outage, type OutageParts, stepClocks } from './outages.ts';
import { Providers } from './providers.ts';
import { type ChaosReport, countRequests, problemsOf } from './report.ts';
import { long } from './scenario.ts';
import { type Payer, Workload } from './workload.ts';
import { type Awakening, awakenings, problemsOfZombies } from './zombies.ts';

export interface ChaosOptions {
  readonly store: StoreKind;
  readonly kills: number;
  /** Nodes stopped (SIGSTOP) after that, and resumed up to 15 s later. */
  readonly stops: number;
  /** Nodes whose links are cut after that, in one or both directions in turn. */
  readonly cuts?: number;
  /** Points where stops are forced, in turn; null is a random moment. */
  readonly places?: readonly (Frozen | null)[];
  /** Crash points that are armed in turn; absent: all of them. */
  readonly points?: readonly string[];
  /** Number of store outages, clock steps and full disks, in this order, after all other faults. */
  readonly losses?: number;
  readonly clocks?: number;
  readonly fulls?: number;
  /** Number of times the folder of the sealing keys disappears, before the full disks. */
  readonly keyouts?: number;
  readonly seed: number;
  readonly inFlight: number;
  /** Pause of a client between two requests; absent: none. */
  readonly restMs?: number | undefined;
  /** Duration of load without faults before the first kill, after the last, and between two. */
  readonly calmMs: number;
  /** Keeps the data folder, the provider logs and the history, and prints their location. */
  readonly keep: boolean;
  readonly tell: (line: string) => void;
}

const ACCOUNTS = 12;
const DEPOSIT_USD = '1000';
const POOR_USD = '0.0000001';
const SAMPLE_MS = 250;
const QUIET_MS = 60_000;
/** Each node extrapolates store time by its own clock between heartbeats; on a busy machine two nodes differ by up to this. */
const CLOCK_SLACK_MS = 1_000;
/** Two nodes whose clocks are off by 30 s in opposite directions. */
const SKEW_MS_MAX = 60_000;
const UNLIMITED = 1_000_000_000;
/** A launcher kills a stopped node within a second by default; here it must survive, to resume as a zombie. */
const PATIENT = { stoppedKillMs: 120_000, silentKillMs: 120_000 };
const OPEN_STREAMS = 9;
const OPEN_SECONDS = 18;
const OPEN_SECONDS_KILLED = 6; // A node that holds the store's lock is killed after 2 s.
const OPENED_MS = 800;
/** Small enough to be allocated quickly, and larger than what is written to the full disk. */
const BALLAST_BYTES = 4 * 1024 * 1024;
/** Every second stop is at a crash point; the others use these points in turn. */
const STOPS: readonly (Frozen | null)[] = [null, 'before commit', 'in transaction'];
/** A restarted node reaches a point of a batch this often before it dies there. */
const BATCH_TIMES = 2;
/** Approximate share of the load that a restarted node gets: a third of the new connections. */
const SHARE_OF_RESTARTED = 0.2;

/** One chaos run, from an empty folder to a verdict: cluster, providers, load, kills, quiet, audit. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-chaos-'));
  const providers = await Providers.start(folder);
  const crashPoints = new CrashPoints();
  const injector = new FaultInjector();
  const links = (options.cuts ?? 0) > 0 ? await Links.open(config.nodes) : null;
  const store = await openChaosStore(options.store);
  let cluster: LaunchedCluster | null = null;
  try {
    const laid = { ...overlay(providers, options), ...links?.overlay, store: store.config };
    cluster = await LaunchedCluster.start(laid, {
      env: { ...environment(crashPoints, injector, options), ...links?.env },
    });
    return await new Run(options, { folder, providers, crashPoints, injector, cluster, links, store }).report();
  } finally {
    await cluster?.stop(options.keep);
    await links?.close();
    await providers.stop();
    await store.close();
    crashPoints.close();
    injector.close();
    if (options.keep) options.tell(`kept ${folder} and ${cluster?.data}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

function environment(crashPoints: CrashPoints, injector: FaultInjector, options: ChaosOptions): Record<string, string> {
  const { stops, losses = 0, clocks = 0, fulls = 0 } = options;
  if (stops + losses + clocks + fulls === 0) return crashPoints.env;
  return {
    ...crashPoints.env,
    ...injector.env,
    NODE_OPTIONS: `${crashPoints.env.NODE_OPTIONS} ${injector.env.NODE_OPTIONS}`,
  };
}

function overlay(providers: Providers, { stops, fulls = 0 }: ChaosOptions): object {
  return {
    ...(stops > 0 ? { launcher: PATIENT } : {}),
    ...(fulls > 0 ? { runtime: { ballastBytes: BALLAST_BYTES } } : {}),
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    // The run's last batches do not wait for the load beside them.
    overload: { jobsPerSecondMin: 100 },
    demo: { enabled: false, simulators: 0 },
    providers: providers.declarations,
  };
}

interface Stage {
  readonly folder: string;
  readonly providers: Providers;
  readonly crashPoints: CrashPoints;
  readonly injector: FaultInjector;
  readonly cluster: LaunchedCluster;
  /** Null in a run without cuts: nodes then connect directly. */
  readonly links: Links | null;
  readonly store: ChaosStore;
}

interface Load {
  readonly workload: Workload;
  readonly jobs: Jobs;
}

interface StrikeParts {
  /** Requests answered so far, per ms. */
  readonly perMs: () => number;
  readonly record: (strike: Strike) => void;
  /** Accounts whose owner reaches this point. */
  readonly owned: (point: string) => readonly Payer[];
}

class Run {
  readonly #options: ChaosOptions;
  readonly #stage: Stage;
  readonly #store: StoreView;
  readonly #samples: Evidence['samples'][number][] = [];
  readonly #chance: () => number;
  readonly #fullDisks: FullDisk[] = [];
  readonly #outaged: Outage[] = [];
  readonly #keyless: KeyOutage['keyless'][] = [];

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
      base: cluster.baseUrl,
      payers,
      poor: poor as Payer,
      inFlight: this.#options.inFlight,
      restMs: this.#options.restMs,
      chance: this.#chance,
    });
    const sampling = new AbortController();
    const sampled = this.#sampleUntil(sampling.signal);
    const jobs = new Jobs({ base: cluster.baseUrl, payers, workload, chance: this.#chance }, this.#options.inFlight);
    await jobs.start();
    workload.start();
    const strikes = await this.#strikeAll({ workload, jobs }, payers).finally(() => sampling.abort());
    await sampled;
    await Promise.all([jobs.stop(), workload.stop()]);
    appendHistory(join(folder, 'history.jsonl'), workload.history);
    this.#options.tell('load stopped: waiting for the last holds');
    await until(async () => (await this.#store.openHolds()) === 0, QUIET_MS);
    this.#samples.push(await this.#store.sample());
    const evidence = await this.#evidence({ workload, jobs }, payers, poor as Payer);
    const verdict = audit(evidence);
    const requests = countRequests(operations(evidence.history), strikes);
    const woken = this.#awakenings(strikes, evidence);
    const problems = [
      ...problemsOf(strikes, verdict, requests),
      ...problemsOfZombies(woken),
      ...this.#fullDisks.flatMap((full) => problemsOfFullDisk(full, evidence.calls)),
      ...this.#outaged.flatMap((each) => each.problems),
    ];
    return { seed: this.#options.seed, strikes, verdict, requests, problems, awakenings: woken };
  }

  async #sampleUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#samples.push(await this.#store.sample());
      await pause(SAMPLE_MS);
    }
  }

  async #strikeAll({ workload, jobs }: Load, payers: readonly Payer[]): Promise<readonly Strike[]> {
    const nemesis = new Nemesis({
      store: this.#store,
      workload,
      payers,
      nodes: config.nodes.length,
      shards: config.runtime.shards,
      chance: this.#chance,
      freeze: (node, stop) => this.#stage.injector.set(node, { stop }),
    });
    const strikes: Strike[] = [];
    const record = (strike: Strike): void => this.#tell(strikes.push(strike), strike, workload);
    const startedAt = performance.now();
    const perMs = (): number => workload.answered / (performance.now() - startedAt);
    const owned = (point: string): readonly Payer[] => (isOfBatch(point) ? jobs.batchPayers : payers);
    await this.#kill(nemesis, { perMs, record, owned });
    const open = (seconds: number): readonly Promise<unknown>[] => {
      const some = payers.slice(0, OPEN_STREAMS);
      return some.map((payer) => workload.send(long(workload.nonce(), seconds), payer));
    };
    await this.#stop(nemesis, { perMs, record, owned, open });
    await this.#cut(nemesis, record);
    await this.#outages(workload, payers, record);
    await pause(this.#options.calmMs);
    return strikes;
  }

  /** Kills in pairs: at random, then the next process of the same node at a crash point. */
  async #kill(nemesis: Nemesis, { perMs, record, owned }: StrikeParts): Promise<void> {
    for (let kill = 0; kill < this.#options.kills; kill++) {
      await pause(this.#options.calmMs);
      const point = this.#point(kill >> 1);
      const armed = kill + 1 < this.#options.kills;
      const killed = await nemesis.killAny(owned(point), (node) => armed && this.#arm(node.name, point, perMs()));
      record(killed);
      if (!armed || killed.successor === null) continue;
      record(await nemesis.awaitCrash(killed.successor, point));
      kill++;
    }
  }

  /** Stops in pairs: at random or at a forced point, then the next process of the same node at a crash point. */
  async #stop(
    nemesis: Nemesis,
    { perMs, record, owned, open }: StrikeParts & { readonly open: (seconds: number) => readonly Promise<unknown>[] },
  ): Promise<void> {
    // A commit is one call to PostgreSQL: a node that stops never holds a lock of it.
    const { store, places = store === 'sqlite' ? STOPS : STOPS.slice(0, 2) } = this.#options;
    for (let stop = 0; stop < this.#options.stops; stop++) {
      await pause(this.#options.calmMs);
      const point = this.#point(stop >> 1);
      const pair = stop + 1 < this.#options.stops;
      const where = places[(stop >> 1) % places.length] as Frozen | null;
      // Streams still open when the zombie resumes: their node must end them then.
      const streams = open(where === 'in transaction' ? OPEN_SECONDS_KILLED : OPEN_SECONDS);
      await pause(OPENED_MS);
      const stopped = await nemesis.stopAny(
        owned(point),
        where,
        (node) => pair && this.#arm(node.name, point, perMs(), 'SIGSTOP'),
      );
      record(stopped);
      if (pair && stopped.successor !== null) {
        record(await nemesis.awaitStop(stopped.successor, `SIGSTOP ${point}`));
        stop++;
      }
      await Promise.all(streams);
    }
  }

  async #cut(nemesis: Nemesis, record: (strike: Strike) => void): Promise<void> {
    const { links } = this.#stage;
    for (let cut = 0; links !== null && cut < (this.#options.cuts ?? 0); cut++) {
      await pause(this.#options.calmMs);
      record(await nemesis.cutAny(links, CUTS[cut % CUTS.length] as Cut));
    }
  }

  #point(turn: number): string {
    const { points = [...CRASH_POINTS, ...BATCH_POINTS] } = this.#options;
    return points[turn % points.length] as string;
  }

  /** Arms a crash point in the next process of the node, so that it dies while it handles its share of the load. */
  #arm(node: string, point: string, perMs: number, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): void {
    const times = isOfBatch(point) ? BATCH_TIMES : Math.ceil(perMs * this.#options.calmMs * SHARE_OF_RESTARTED) + 1;
    this.#stage.crashPoints.arm(node, point, times, signal);
  }

  async #outages(workload: Workload, payers: readonly Payer[], record: (strike: Strike) => void): Promise<void> {
    const { cluster, injector } = this.#stage;
    const { baseUrl } = cluster;
    const database = join(cluster.data, 'troupe.db');
    const { losses = 0, clocks = 0, keyouts = 0, fulls = 0, calmMs } = this.#options;
    const nodes = (): readonly ConnectionNode[] => cluster.connection()?.nodes ?? [];
    const pids = (): readonly number[] => nodes().map(({ pid }) => pid);
    const parts: OutageParts = {
      injector,
      names: config.nodes.map(({ name }) => name),
      baseUrl,
      workload,
      payers,
      pids,
    };
    const operatorToken = cluster.connection()?.operator_token ?? '';
    // Each outage checks that no node restarts, so the last one that was killed must be up.
    const whole = (): Promise<boolean> => until(() => pids().length === config.nodes.length, QUIET_MS);
    const all = [
      ...Array.from({ length: losses }, () => async () => loseStore(parts)),
      ...Array.from({ length: clocks }, () => async () => stepClocks(parts)),
      ...Array.from({ length: keyouts }, () => async () => {
        const outage = await loseKeyFolder({ ...parts, folder: join(cluster.data, 'keys') });
        this.#keyless.push(outage.keyless);
        return outage;
      }),
    ];
    for (const outage of all) {
      await pause(calmMs);
      await whole();
      const ended = await outage();
      this.#outaged.push(ended);
      record(ended.strike);
    }
    for (let full = 0; full < fulls; full++) {
      await pause(calmMs);
      await whole();
      const filled = await fillDisk({ ...parts, database, store: this.#store, nodes, operatorToken });
      this.#fullDisks.push(filled);
      record(filled.strike);
    }
  }

  #awakenings(strikes: readonly Strike[], evidence: Evidence): readonly Awakening[] {
    const { cluster, injector } = this.#stage;
    const judgedAtOnce = this.#options.store === 'sqlite';
    return awakenings(strikes, {
      launcherLog: join(cluster.data, 'launcher.log'),
      notes: injector.notes,
      evidence,
      judgedAtOnce,
    });
  }

  #tell(count: number, strike: Strike, workload: Workload): void {
    const outcome = strike.tookEffect
      ? `takeover ${strike.takeoverMs?.toFixed(0) ?? 'not observed'} ms, recovered ${strike.healedMs?.toFixed(0) ?? 'never'} ms`
      : 'had no effect';
    const { kills, stops, cuts = 0, losses = 0, clocks = 0, keyouts = 0, fulls = 0, tell } = this.#options;
    tell(
      `${count}/${kills + stops + cuts + losses + clocks + keyouts + fulls} ${strike.fault} on ${strike.node}: ${outcome}; ${workload.answered} answered`,
    );
  }

  /** Queries the API while the cluster still runs, and reads the store after the drain. */
  async #evidence({ workload, jobs }: Load, payers: readonly Payer[], poor: Payer): Promise<Evidence> {
    const { cluster, providers } = this.#stage;
    const all = [...payers, poor];
    const credits = await Promise.all(all.map((payer) => creditsOf(cluster, payer)));
    const batches = await jobs.batches();
    const code = await cluster.stop(true);
    if (code !== 0) throw new Error(`the launcher drained and ended with ${code}: ${cluster.output.slice(-1_000)}`);
    const calls = await providers.stop();
    const ledger = await this.#store.dump();
    const data = this.#options.store === 'sqlite' ? cluster.data : null;
    const files = await jobs.files(this.#store, { data, keyless: this.#keyless });
    await this.#store.close();
    return {
      history: workload.history,
      calls,
      ...{ ledger, files, batches },
      samples: this.#samples,
      credits,
      deposits: all.map((payer) => ({ account: payer.account, amount: payer === poor ? POOR_USD : DEPOSIT_USD })),
      prices: Object.fromEntries(providers.declarations.map(({ slug }) => [slug, pricesOf(modelsDocument(slug))])),
      slugs: providers.slugs,
      refusedCommits: this.#stage.injector.notes.filter(({ failure }) => failure === 'full').length,
      clockSlackMs: CLOCK_SLACK_MS + (this.#options.clocks ? SKEW_MS_MAX : 0),
    };
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
