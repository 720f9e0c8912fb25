import { join } from 'node:path';
import type { ModelsDocument } from '../../gateway/catalogue/document/document-schema.ts';
import { audit } from '../support/auditor/audit.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import { appendHistory, operations } from '../support/auditor/history.ts';
import { pricesOf } from '../support/auditor/prices-of.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { creditsOf, openAccounts } from './bank.ts';
import { pause } from './call.ts';
import { chance } from './chance.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { problemsOfFullDisk } from './full-disk.ts';
import { Jobs } from './jobs.ts';
import { type Strike, until } from './nemesis.ts';
import { OwnerWork } from './owner-work.ts';
import { type ChaosReport, countRequests, problemsOf } from './report.ts';
import { onStage, type Stage } from './stage.ts';
import { problemsOfStarts, startsIn } from './starts.ts';
import { Strikes } from './strikes.ts';
import { type Payer, Workload } from './workload.ts';
import { type Awakening, awakenings, problemsOfZombies } from './zombies.ts';

const ACCOUNTS = 12;
const DEPOSIT_USD = '1000';
const POOR_USD = '0.0000001';
const SAMPLE_MS = 250;
const QUIET_MS = 60_000;
/** Each node extrapolates store time by its own clock between heartbeats; on a busy machine two nodes differ by up to this. */
const CLOCK_SLACK_MS = 1_000;
/** Two nodes whose clocks are off by 30 s in opposite directions. */
const SKEW_MS_MAX = 60_000;
/** A launcher kills a stopped node within a second by default; here it must survive, to resume as a zombie. */
const PATIENT = { stoppedKillMs: 120_000, silentKillMs: 120_000 };
/** Small enough to be allocated quickly, and larger than what is written to the full disk. */
const BALLAST_BYTES = 4 * 1024 * 1024;

/** One chaos run, from an empty folder to a verdict: cluster, providers, load, faults, quiet, audit. */
export function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { store, stops, cuts = 0, losses = 0, clocks = 0, fulls = 0, keep, tell } = options;
  const stage = {
    ...{ name: 'chaos', store, isCut: cuts > 0, isInjected: stops + losses + clocks + fulls > 0 },
    ...{ isPaid: options.owners, busy: options.busy, overlay: overlay(options) },
    keep: keep ? (where: string) => tell(`keeps ${where}`) : undefined,
  };
  return onStage(stage, (opened) => new Run(options, opened).report());
}

function overlay({ stops, fulls = 0 }: ChaosOptions): object {
  return {
    ...(stops > 0 ? { launcher: PATIENT } : {}),
    ...(fulls > 0 ? { runtime: { ballastBytes: BALLAST_BYTES } } : {}),
    // The run's last batches do not wait for the load beside them.
    overload: { jobsPerSecondMin: 100 },
  };
}

interface Load {
  readonly workload: Workload;
  readonly jobs: Jobs;
  /** Null in a run without them. */
  readonly owners: OwnerWork | null;
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
    this.#store = stage.view;
    this.#chance = chance(options.seed);
  }

  async report(): Promise<ChaosReport> {
    const { cluster, folder } = this.#stage;
    const payers = await openAccounts(cluster, ACCOUNTS, DEPOSIT_USD);
    const [poor] = (await openAccounts(cluster, 1, POOR_USD)) as [Payer];
    const load = await this.#load(payers, poor);
    const { workload } = load;
    const struck = await this.#strike(load, payers);
    appendHistory(join(folder, 'history.jsonl'), workload.history);
    this.#options.tell('load stopped: waiting for the last holds');
    await until(async () => (await this.#store.openHolds()) === 0, QUIET_MS);
    this.#samples.push(await this.#store.sample());
    const evidence = await this.#evidence(load, { payers, poor }, struck);
    const verdict = audit(evidence);
    const { strikes } = struck;
    const requests = countRequests(operations(evidence.history), strikes);
    const woken = this.#awakenings(strikes, evidence);
    const starts = startsIn(join(cluster.data, 'logs', 'launcher.log'));
    const problems = [
      ...problemsOf(strikes, verdict, requests),
      ...problemsOfStarts(starts),
      ...problemsOfZombies(woken),
      ...struck.faults.fullDisks.flatMap((full) => problemsOfFullDisk(full, evidence.calls)),
      ...struck.faults.outages.flatMap((each) => each.problems),
    ];
    return { seed: this.#options.seed, strikes, verdict, requests, problems, starts, awakenings: woken };
  }

  async #load(payers: readonly Payer[], poor: Payer): Promise<Load> {
    const { cluster, facilitator } = this.#stage;
    const { inFlight, restMs } = this.#options;
    const parts = { payers, chance: this.#chance };
    const workload = new Workload({ ...parts, base: cluster.baseUrl, poor, inFlight, restMs });
    const jobs = new Jobs({ ...parts, base: cluster.baseUrl, workload }, inFlight);
    const owners = facilitator && (await OwnerWork.open({ ...parts, cluster, facilitator, workload }));
    return { workload, jobs, owners };
  }

  /** Runs the load, strikes it, and stops it. */
  async #strike({ workload, jobs, owners }: Load, payers: readonly Payer[]): Promise<Struck> {
    const sampling = new AbortController();
    const sampled = this.#sampleUntil(sampling.signal);
    await jobs.start();
    workload.start();
    owners?.start();
    const parts = { options: this.#options, stage: this.#stage, view: this.#store, chance: this.#chance };
    const faults = new Strikes({ ...parts, workload, payers, batchPayers: () => jobs.batchPayers });
    const strikes = await faults.all().finally(() => sampling.abort());
    await sampled;
    await Promise.all([jobs.stop(), workload.stop(), owners?.stop(this.#store)]);
    return { strikes, faults };
  }

  async #sampleUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#samples.push(await this.#store.sample());
      await pause(SAMPLE_MS);
    }
  }

  #awakenings(strikes: readonly Strike[], evidence: Evidence): readonly Awakening[] {
    const { cluster, injector } = this.#stage;
    const judgedAtOnce = this.#options.store === 'sqlite';
    return awakenings(strikes, {
      launcherLog: join(cluster.data, 'logs', 'launcher.log'),
      notes: injector.notes,
      evidence,
      judgedAtOnce,
    });
  }

  /** Queries the API while the cluster still runs, and reads the store after the drain. */
  async #evidence(
    { workload, jobs, owners }: Load,
    { payers, poor }: { readonly payers: readonly Payer[]; readonly poor: Payer },
    { faults }: Struck,
  ): Promise<Evidence> {
    const { cluster, providers, injector, drained } = this.#stage;
    const credits = await Promise.all([...payers, poor].map((payer) => creditsOf(cluster, payer)));
    const batches = await jobs.batches();
    await owners?.askUsages();
    const calls = await drained();
    const ledger = await this.#store.dump();
    const data = this.#options.store === 'sqlite' ? cluster.data : null;
    const files = await jobs.files(this.#store, { data, keyless: faults.keyless });
    const owned = await owners?.evidence(this.#store);
    await this.#store.close();
    const opening = payers.map(({ account }) => ({ account, amount: DEPOSIT_USD }));
    return {
      history: workload.history,
      ...{ calls, ledger, files, batches, credits, ...owned },
      samples: this.#samples,
      isPartlyUnnamed: true,
      deposits: [...opening, { account: poor.account, amount: POOR_USD }, ...(owners?.deposits ?? [])],
      prices: Object.fromEntries(
        providers.declarations.map(({ slug, models }) => [slug, pricesOf(models as ModelsDocument)]),
      ),
      slugs: providers.slugs,
      refusedCommits: injector.notes.filter(({ failure }) => failure === 'full').length,
      clockSlackMs: CLOCK_SLACK_MS + (this.#options.clocks ? SKEW_MS_MAX : 0),
    };
  }
}

interface Struck {
  readonly strikes: readonly Strike[];
  readonly faults: Strikes;
}
