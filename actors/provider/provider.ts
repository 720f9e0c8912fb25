/** The provider kind and its client functions. Resident: its board entry moves with its shard. */
import { createHash } from 'node:crypto';
import type { Cluster, Json, Kind, RowQuery, RowRecord, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import type { ProviderFacts } from '../terms/endpoint.ts';
import { providerAddress } from '../terms/ids.ts';
import { explainPause, type Pausable, pauseNote } from '../terms/pause.ts';
import { type DayFold, EARNINGS_COLLECTION, type Earning, earningsCollection } from './earnings.ts';
import {
  type DocumentReading,
  type KeyRefusal,
  type ProviderState,
  type ProviderView,
  providerMachine,
} from './provider.machine.ts';
import type { RefreshResult, RunningRefresh } from './refreshes.ts';
import { isRecording, REFUSALS_COLLECTION, refusalCollection } from './refusals.ts';

/** Board topic; keys are slugs, values `ProviderFacts`. */
export const PROVIDERS_TOPIC = 'providers';

/** Longest stored validation error. */
const PROBLEM_CHARS_MAX = 1_000;

export const providerKind: Kind = {
  name: 'provider',
  machine: providerMachine,
  version: 1,
  creates: ['provider.declare', 'provider.read'],
  finishes: [],
  volatile: ['actor.activated', 'provider.show', 'refresh.progress'],
  resident: true,
  collections: { [REFUSALS_COLLECTION]: refusalCollection, [EARNINGS_COLLECTION]: earningsCollection },
  note: pauseNote,
  explain: explainProvider,
  redact: (context: Json) => context,
};

interface Changed {
  readonly changed: boolean;
}

/** Returns true when the declaration differs from the previous one. */
export async function declareProvider(cluster: Cluster, facts: ProviderFacts, withinMs: number): Promise<boolean> {
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  const event = { type: 'provider.declare', facts: plain(facts), digest };
  const answer = await ask<Changed>(cluster, providerAddress(facts.slug), event, withinMs);
  return answer.changed;
}

/** Reports the result of reading a provider's models document. Returns true when it differs from the last one. */
export async function reportReading(
  cluster: Cluster,
  slug: string,
  reading: { readonly problem: string | null; readonly endpoints: number },
  withinMs: number,
): Promise<boolean> {
  const problem = reading.problem?.slice(0, PROBLEM_CHARS_MAX) ?? null;
  const event = { type: 'provider.read', problem, endpoints: reading.endpoints };
  const answer = await ask<Changed>(cluster, providerAddress(slug), event, withinMs);
  return answer.changed;
}

/** Reports that a provider refuses our key, or accepts it again. Best effort: a later call reports again. */
export function reportKey(cluster: Pick<Cluster, 'tell'>, slug: string, refusedWith: number | null): void {
  const event = refusedWith === null ? { type: 'key.accepted' } : { type: 'key.refused', status: refusedWith };
  cluster.tell(providerAddress(slug), event);
}

/** Null: the provider was never declared. */
export async function showProvider(
  cluster: Pick<Cluster, 'ask'>,
  slug: string,
  withinMs: number,
): Promise<ProviderView | null> {
  return ask<ProviderView>(cluster, providerAddress(slug), { type: 'provider.show' }, withinMs);
}

/** Begins a reading of the models document, or answers the one that runs already (`begun` is false). */
export async function beginRefresh(
  cluster: Pick<Cluster, 'ask'>,
  slug: string,
  { run, by }: Pick<RunningRefresh, 'run' | 'by'>,
  withinMs: number,
): Promise<{ readonly running: RunningRefresh; readonly begun: boolean }> {
  const event = { type: 'refresh.begin', run, by };
  return ask(cluster, providerAddress(slug), event, withinMs);
}

/** Best effort: the next step or the end follows. */
export function reportProgress(
  cluster: Pick<Cluster, 'tell'>,
  slug: string,
  progress: Pick<RunningRefresh, 'run' | 'phase' | 'declared' | 'total'>,
): void {
  cluster.tell(providerAddress(slug), { type: 'refresh.progress', ...progress });
}

/** Ends a run with its result; that of a run that ended before changes nothing. */
export async function endRefresh(
  cluster: Pick<Cluster, 'ask'>,
  slug: string,
  { run, ...result }: RefreshResult & { readonly run: string },
  withinMs: number,
): Promise<void> {
  const { faults, warnings, ...counts } = result;
  const event = { type: 'refresh.end', run, ...counts, faults: plain(faults), warnings: plain(warnings) };
  await ask(cluster, providerAddress(slug), event, withinMs);
}

/** Writes the earnings of a day, or a part of them. A repeat writes the same rows. */
export async function foldEarnings(
  cluster: Pick<Cluster, 'ask'>,
  slug: string,
  fold: DayFold,
  withinMs: number,
): Promise<void> {
  const { day, earnings, isLast } = fold;
  const event = { type: 'earnings.fold', day, earnings: plain(earnings), isLast };
  await ask(cluster, providerAddress(slug), event, withinMs);
}

/** Rows that one read of the store returns. */
const PAGE_ROWS_MAX = 1_000;

/** The folded earnings of the days from `from` until before `till`, store times in ms, in their order, page by page. */
export async function* earningsOf(
  rows: ReadRows,
  slug: string,
  { from, till }: { readonly from: number; readonly till: number },
): AsyncIterable<readonly Earning[]> {
  const query = { collection: EARNINGS_COLLECTION, address: providerAddress(slug), limit: PAGE_ROWS_MAX } as const;
  let after = { sort: from, id: '' };
  for (;;) {
    const page = await rows({ ...query, after });
    const inRange = page.map(({ body }) => JSON.parse(body) as Earning).filter(({ day }) => day < till);
    if (inRange.length > 0) yield inRange;
    const last = page.at(-1);
    if (last === undefined || inRange.length < PAGE_ROWS_MAX) return;
    after = { sort: last.sort, id: last.id };
  }
}

/** Reads rows of the store: a node's own, or those of an operator's connection. */
type ReadRows = (query: RowQuery) => Promise<readonly RowRecord[]>;

/** Removes a provider from the board. Returns true when it was on it. */
export async function withdrawProvider(cluster: Cluster, slug: string, withinMs: number): Promise<boolean> {
  const answer = await ask<Changed>(cluster, providerAddress(slug), { type: 'provider.withdraw' }, withinMs);
  return answer.changed;
}

function explainProvider(view: View): readonly string[] {
  const { slug, facts, declaredAt, document, keyRefusal, refusals } = view.context as unknown as ProviderState;
  const since = declaredAt === null ? '' : ` since ${timeOf(declaredAt)}`;
  const lines = [...explainPause(view.context as Pausable, `providers resume ${slug}`)];
  if (document !== undefined) lines.push(explainReading(document));
  if (keyRefusal != null) lines.push(explainKey(keyRefusal));
  if (refusals?.until != null && isRecording(refusals, view.now)) {
    lines.push(`Its raw refusals are recorded until ${timeOf(refusals.until)}.`);
  }
  if (facts !== null) return [`${facts.name} is declared${since} and shown in the catalogue as ${slug}.`, ...lines];
  if (declaredAt === null) return [`${slug} was never declared: the catalogue does not show it.`, ...lines];
  return [`This provider is withdrawn${since}: the catalogue does not show it.`];
}

function explainKey({ status, since, last }: KeyRefusal): string {
  const remedy = status === 402 || status === 429 ? 'add credit or quota to its account' : 'set the right key';
  return `It refuses our key with HTTP ${status} since ${timeOf(since)}, last at ${timeOf(last)}: ${remedy}.`;
}

function explainReading({ problem, endpoints, since }: DocumentReading): string {
  const declares = `${endpoints} endpoint${endpoints === 1 ? '' : 's'}`;
  if (problem === null) return `Its models document declares ${declares}, as read first at ${timeOf(since)}.`;
  return `Its models document is broken since ${timeOf(since)} and the last good one stays, with ${declares}: ${problem}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
