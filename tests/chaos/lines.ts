import type { ModelsDocument } from '../../gateway/catalogue/document/document-schema.ts';
import { audit, type Verdict } from '../support/auditor/audit.ts';
import type { ResultLine } from '../support/auditor/batch-evidence.ts';
import type { CallSeen, Evidence } from '../support/auditor/evidence.ts';
import { pricesOf } from '../support/auditor/prices-of.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { type OpenedKey, openAccounts, openKey } from './bank.ts';
import { BatchWork } from './batch-work.ts';
import { chance } from './chance.ts';
import type { StoreKind } from './chaos-store.ts';
import { strikeLines, type Way } from './line-faults.ts';
import { until } from './nemesis.ts';
import { onStage, type Stage } from './stage.ts';
import type { Payer } from './workload.ts';

interface LinesOptions {
  readonly store: StoreKind;
  readonly lines: number;
  readonly way: Way;
  readonly everyMs: number;
  readonly seed: number;
  readonly tell: (line: string) => void;
}

interface LinesReport {
  readonly seed: number;
  readonly undisturbedMs: number;
  readonly disturbedMs: number;
  /** Wall times of the faults during the disturbed batch. */
  readonly faults: readonly number[];
  /** From each fault to the next call that a provider received, ms. */
  readonly resumedMs: readonly number[];
  readonly verdict: Verdict;
  readonly problems: readonly string[];
}

const DEPOSIT_USD = '1000';
/** One line: 20 words at 40 a second. */
const LINE = { tokens: 20, tps: 40 };
const THROUGHPUT_MIN = 0.5;
const QUIET_MS = 60_000;
const CLOCK_SLACK_MS = 1_000;

/** One batch alone, then one of the same size while nodes end every few seconds; then the audit of both. */
export function runLines(options: LinesOptions): Promise<LinesReport> {
  return onStage({ name: 'lines', store: options.store }, (stage) => play(stage, options));
}

async function play(stage: Stage, options: LinesOptions): Promise<LinesReport> {
  const { cluster, view } = stage;
  const payers = await openAccounts(cluster, 2, DEPOSIT_USD);
  const [payer, stranger] = payers as [Payer, Payer];
  const work = new BatchWork({ base: cluster.baseUrl, payers: [payer], stranger, chance: chance(options.seed) });
  const second = await openKey(cluster, payer.account);
  const timed = await bothBatches(work, { ...options, data: cluster.data, view, payer, second });
  const [at = 0] = timed.faults;
  const batches: NonNullable<Evidence['batches']> = {
    ...(await work.evidence()),
    ...(options.way === 'lost' ? { lostKeys: new Map([[timed.disturbed, at]]) } : {}),
    ...(options.way === 'revoke' ? { revoked: [{ key: second.payer.key, at }] } : {}),
  };
  const { verdict, calls } = await audited(stage, payers, batches);
  const resumedMs = timed.faults.flatMap((fault) => resumedAfter(fault, calls));
  const found = { verdict, batches, ...timed };
  const problems = [...timed.problems, ...problemsOf(found, options)];
  return { ...timed, seed: options.seed, verdict, problems, resumedMs };
}

interface Timed extends Pick<LinesReport, 'undisturbedMs' | 'disturbedMs' | 'faults' | 'problems'> {
  /** Id of the disturbed batch. */
  readonly disturbed: string;
}

interface BatchParts extends LinesOptions {
  readonly view: StoreView;
  readonly data: string;
  readonly payer: Payer;
  /** A second key of the same account; it submits the disturbed batch, and may be disabled. */
  readonly second: OpenedKey;
}

async function bothBatches(
  work: BatchWork,
  { view, lines, way, everyMs, seed, tell, data, payer, second }: BatchParts,
): Promise<Timed> {
  const timed = async (submits: Payer): Promise<{ readonly id: string; readonly ms: number }> => {
    const from = performance.now();
    const id = await work.one(submits, lines, { directive: LINE, reader: payer });
    if (id === null) throw new Error('no batch was accepted');
    return { id, ms: performance.now() - from };
  };
  const undisturbed = await timed(payer);
  tell(`undisturbed: ${lines} lines in ${(undisturbed.ms / 1_000).toFixed(1)} s`);
  const over = new AbortController();
  const disableKey = (): Promise<void> => second.disable();
  const striking = strikeLines({ way, everyMs, view, data, disableKey, chance: chance(seed), tell }, over.signal);
  const disturbed = await timed(second.payer);
  over.abort();
  const faults = await striking;
  tell(`disturbed by ${faults.length} faults: ${(disturbed.ms / 1_000).toFixed(1)} s`);
  const quiet = await until(async () => (await view.openHolds()) === 0, QUIET_MS);
  return {
    ...{ undisturbedMs: undisturbed.ms, disturbedMs: disturbed.ms, disturbed: disturbed.id, faults },
    problems: quiet ? [] : ['holds are open although both batches ended'],
  };
}

function resumedAfter(fault: number, calls: readonly CallSeen[]): readonly number[] {
  const after = calls.map(({ startAt }) => startAt - fault).filter((ms) => ms > 0);
  return after.length === 0 ? [] : [Math.min(...after)];
}

async function audited(
  { providers, view, drained }: Stage,
  payers: readonly Payer[],
  batches: NonNullable<Evidence['batches']>,
): Promise<{ readonly verdict: Verdict; readonly calls: readonly CallSeen[] }> {
  const calls = await drained();
  const ledger = await view.dump();
  await view.close();
  const verdict = audit({
    ...{ history: [], calls, ledger, samples: [], credits: [], batches, clockSlackMs: CLOCK_SLACK_MS },
    deposits: payers.map(({ account }) => ({ account, amount: DEPOSIT_USD })),
    prices: Object.fromEntries(
      providers.declarations.map(({ slug, models }) => [slug, pricesOf(models as ModelsDocument)]),
    ),
    slugs: providers.slugs,
  });
  return { verdict, calls };
}

interface Found extends Timed {
  readonly verdict: Verdict;
  readonly batches: NonNullable<Evidence['batches']>;
}

function problemsOf(found: Found, { lines, way }: LinesOptions): readonly string[] {
  const { undisturbedMs, disturbedMs, faults, verdict } = found;
  const problems: string[] = [];
  if (faults.length === 0) problems.push('no fault struck during the batch');
  const share = undisturbedMs / disturbedMs;
  // While all nodes are dead nothing can run, so a run of `all` has no goal.
  if ((way === 'kill' || way === 'drain') && share < THROUGHPUT_MIN)
    problems.push(`throughput fell to ${share.toFixed(2)} of the undisturbed run`);
  if (way === 'lost' || way === 'revoke') return [...problems, ...unaffected(found, way)];
  const answered = verdict.checks.find(({ id }) => id === 'rule B16');
  if ((answered?.examined ?? 0) < 2 * lines) problems.push('not every line was looked at');
  return problems;
}

/** What the fault should have caused and did not: it came too early or too late. */
function unaffected({ batches, disturbed }: Found, way: 'lost' | 'revoke'): readonly string[] {
  const text = batches.polls.findLast(({ id, results }) => id === disturbed && results !== null)?.results ?? '';
  const errors = text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as ResultLine).error]));
  const some = (name: string, is: (error: ResultLine['error']) => boolean): string[] =>
    errors.some(is) ? [] : [`no line of the disturbed batch was ${name}`];
  if (way === 'revoke') {
    return [
      ...some('answered before its key was disabled', (error) => error === null),
      ...some('refused with 401', (error) => error?.code === 401),
    ];
  }
  return [
    ...some('charged and lost', (error) => error?.type === 'server' && error.request_id !== null),
    ...some('unsent and lost', (error) => error?.type === 'server' && error.request_id === null),
  ];
}

/** As printed on the command line; the last line says whether the run is clean. */
export function renderLines(report: LinesReport): string {
  const { seed, undisturbedMs, disturbedMs, faults, verdict, problems, resumedMs } = report;
  const broken = verdict.checks.filter((check) => check.violations.length > 0);
  return [
    `seed ${seed}: undisturbed ${(undisturbedMs / 1_000).toFixed(1)} s, with ${faults.length} faults ${(disturbedMs / 1_000).toFixed(1)} s: ${(undisturbedMs / disturbedMs).toFixed(2)} of the throughput`,
    `next call after a fault: median ${middle(resumedMs).toFixed(0)} ms, slowest ${Math.max(0, ...resumedMs).toFixed(0)} ms`,
    `${broken.some(({ id }) => id === 'rule B28' || id === 'rule B16') ? 'lines lost' : 'every line answered once, in order'}, double charges ${verdict.doubleCharges}, leaked holds ${verdict.leakedHolds}`,
    ...broken.flatMap((check) => [
      `BROKEN ${check.id} ${check.title}`,
      ...check.violations.map((line) => `         ${line}`),
    ]),
    ...problems.map((problem) => `FAILED: ${problem}`),
    broken.length + problems.length === 0 ? 'clean' : 'not clean',
  ].join('\n');
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
