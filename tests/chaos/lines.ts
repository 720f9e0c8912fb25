import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { audit, type Verdict } from '../support/auditor/audit.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import { pricesOf } from '../support/auditor/prices-of.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { modelsDocument } from '../support/provider/simulated-provider.ts';
import { openAccounts } from './bank.ts';
import { BatchWork } from './batch-work.ts';
import { pause } from './call.ts';
import { chance } from './chance.ts';
import { openChaosStore, type StoreKind } from './chaos-store.ts';
import { isAlive, until } from './nemesis.ts';
import { Providers } from './providers.ts';
import type { Payer } from './workload.ts';

/** How the nodes of a disturbed run end, again and again: one killed, one drained, or all killed at once. */
export const WAYS = ['kill', 'drain', 'all'] as const;
export type Way = (typeof WAYS)[number];

export interface LinesOptions {
  readonly store: StoreKind;
  readonly lines: number;
  readonly way: Way;
  readonly everyMs: number;
  readonly seed: number;
  readonly tell: (line: string) => void;
}

export interface LinesReport {
  readonly seed: number;
  readonly undisturbedMs: number;
  readonly disturbedMs: number;
  /** Faults during the disturbed batch. */
  readonly faults: number;
  readonly verdict: Verdict;
  readonly problems: readonly string[];
}

const DEPOSIT_USD = '1000';
const UNLIMITED = 1_000_000_000;
/** One line: 20 words at 40 a second. */
const LINE = { tokens: 20, tps: 40 };
const THROUGHPUT_MIN = 0.5;
const QUIET_MS = 60_000;
const CLOCK_SLACK_MS = 1_000;

/** One batch alone, then one of the same size while nodes end every few seconds; then the audit of both. */
export async function runLines(options: LinesOptions): Promise<LinesReport> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-lines-'));
  const providers = await Providers.start(folder);
  const store = await openChaosStore(options.store);
  let cluster: LaunchedCluster | null = null;
  try {
    const rates = { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED };
    const demo = { enabled: false, simulators: 0 };
    cluster = await LaunchedCluster.start({ rates, demo, providers: providers.declarations, store: store.config });
    const view = store.view(cluster.data);
    const payers = await openAccounts(cluster, 2, DEPOSIT_USD);
    const [payer, stranger] = payers as [Payer, Payer];
    const work = new BatchWork({ base: cluster.baseUrl, payers: [payer], stranger, chance: chance(options.seed) });
    const timed = await bothBatches(work, payer, { ...options, view });
    const batches = await work.evidence();
    const found = await audited({ cluster, providers, view, payers, batches });
    const problems = [...timed.problems, ...problemsOf(timed, found, options.lines)];
    return { ...timed, seed: options.seed, verdict: found, problems };
  } finally {
    await cluster?.stop();
    await providers.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Timed = Pick<LinesReport, 'undisturbedMs' | 'disturbedMs' | 'faults' | 'problems'>;

async function bothBatches(
  work: BatchWork,
  payer: Payer,
  { view, lines, way, everyMs, seed, tell }: LinesOptions & { readonly view: StoreView },
): Promise<Timed> {
  const timed = async (): Promise<number> => {
    const from = performance.now();
    if ((await work.one(payer, lines, LINE)) === null) throw new Error('no batch was accepted');
    return performance.now() - from;
  };
  const undisturbedMs = await timed();
  tell(`undisturbed: ${lines} lines in ${(undisturbedMs / 1_000).toFixed(1)} s`);
  const over = new AbortController();
  const striking = strike(view, { way, everyMs, chance: chance(seed), tell }, over.signal);
  const disturbedMs = await timed();
  over.abort();
  const faults = await striking;
  tell(`disturbed by ${faults} faults: ${(disturbedMs / 1_000).toFixed(1)} s`);
  const quiet = await until(async () => (await view.openHolds()) === 0, QUIET_MS);
  return { undisturbedMs, disturbedMs, faults, problems: quiet ? [] : ['holds are open although both batches ended'] };
}

/** Ends nodes until the signal; a node is spared while no other one serves, except by `all`. Returns the faults. */
async function strike(
  view: StoreView,
  { way, everyMs, chance: random, tell }: Pick<LinesOptions, 'way' | 'everyMs' | 'tell'> & { chance: () => number },
  signal: AbortSignal,
): Promise<number> {
  let faults = 0;
  for (; ; await pause(everyMs)) {
    if (signal.aborted) return faults;
    const { nodes } = await view.owners();
    const up = [...nodes.values()].filter(({ state, pid }) => state === 'up' && isAlive(pid));
    if (up.length < 2) continue;
    const victims = way === 'all' ? up : [up[Math.floor(random() * up.length)]];
    for (const victim of victims) if (victim) kill(victim.pid, way === 'drain' ? 'SIGTERM' : 'SIGKILL');
    faults++;
    tell(`${way}: ${victims.map((victim) => victim?.name).join(', ')}`);
  }
}

async function audited({
  cluster,
  providers,
  view,
  payers,
  batches,
}: {
  readonly cluster: LaunchedCluster;
  readonly providers: Providers;
  readonly view: StoreView;
  readonly payers: readonly Payer[];
  readonly batches: NonNullable<Evidence['batches']>;
}): Promise<Verdict> {
  const code = await cluster.stop(true);
  if (code !== 0) throw new Error(`the launcher ended with ${code}: ${cluster.output.slice(-1_000)}`);
  const calls = await providers.stop();
  const ledger = await view.dump();
  await view.close();
  return audit({
    ...{ history: [], calls, ledger, samples: [], credits: [], batches, clockSlackMs: CLOCK_SLACK_MS },
    deposits: payers.map(({ account }) => ({ account, amount: DEPOSIT_USD })),
    prices: Object.fromEntries(providers.declarations.map(({ slug }) => [slug, pricesOf(modelsDocument(slug))])),
    slugs: providers.slugs,
  });
}

function problemsOf({ undisturbedMs, disturbedMs, faults }: Timed, verdict: Verdict, lines: number): readonly string[] {
  const problems: string[] = [];
  if (faults === 0) problems.push('no node ended during the batch');
  const share = undisturbedMs / disturbedMs;
  if (share < THROUGHPUT_MIN) problems.push(`throughput fell to ${share.toFixed(2)} of the undisturbed run`);
  const answered = verdict.checks.find(({ id }) => id === 'B4');
  if ((answered?.examined ?? 0) < 2 * lines) problems.push('not every line was looked at');
  return problems;
}

/** As printed on the command line; the last line says whether the run is clean. */
export function renderLines({ seed, undisturbedMs, disturbedMs, faults, verdict, problems }: LinesReport): string {
  const broken = verdict.checks.filter((check) => check.violations.length > 0);
  return [
    `seed ${seed}: undisturbed ${(undisturbedMs / 1_000).toFixed(1)} s, with ${faults} faults ${(disturbedMs / 1_000).toFixed(1)} s: ${(undisturbedMs / disturbedMs).toFixed(2)} of the throughput`,
    `${broken.some(({ id }) => id === 'B3' || id === 'B4') ? 'lines lost' : 'every line answered once, in order'}, double charges ${verdict.doubleCharges}, leaked holds ${verdict.leakedHolds}`,
    ...broken.flatMap((check) => [
      `BROKEN ${check.id} ${check.title}`,
      ...check.violations.map((line) => `         ${line}`),
    ]),
    ...problems.map((problem) => `FAILED: ${problem}`),
    broken.length + problems.length === 0 ? 'clean' : 'not clean',
  ].join('\n');
}
