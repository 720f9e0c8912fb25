/**
 * The stored state of an endpoint: declaration, newest outcomes, windows, findings, and the figures published last.
 * Bounded: 20 attempts in 8 KB, at most 80 buckets of three histograms of 404 bins, 1 MB if every bin is used, 43 counts of the week in 3 KB,
 * 200 renders in 12 KB, and 8 KB of findings. 2 to 25 KB in practice; a million attempts over the widest figures that a
 * provider shows made 230 KB.
 */

import type { Cluster, Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import {
  CAPACITY_MS,
  type CallFailure,
  type CapacityReport,
  type DatedFailure,
  type Endpoint,
  type EndpointDeclaration,
  type Evidence,
  FAILURE_CHARACTERS_MAX,
  type Measured,
} from '../terms/endpoint.ts';
import { endpointAddress } from '../terms/ids.ts';
import type { Pausable } from '../terms/pause.ts';
import { type SeenAttempt, withAttempts } from './attempt-ring.ts';
import {
  evidenceOf,
  type Findings,
  findingsUnder,
  NO_EVIDENCE,
  NO_FINDINGS,
  type Observation,
  type ObservedBenchmark,
  observeAsks,
  observeBenchmark,
  observeCheck,
} from './evidence.ts';
import {
  type FailingList,
  type Health,
  healthReason,
  judge,
  observedIn,
  PROBES_MAX,
  type Recent,
  type RecentBy,
  type Sample,
  withOutcome,
} from './health.ts';
import { figures, measure, NO_WINDOWS, type ObservedAttempt, type Windows } from './window.ts';

/** Minimum interval in ms of event time between publications of figures; a change of health is published at once. */
export const PUBLISH_EVERY_MS = 5_000;
/**
 * Observations need no commit of their own, so a node that is killed loses its newest ones: those of at most this time,
 * in ms of event time. A planned hand-over loses none.
 */
export const KEEP_EVERY_MS = 30_000;
const CATEGORY_CHARACTERS_MAX = 64;
/** Outcomes beyond this number in one message are dropped: senders batch for about a second. */
const ATTEMPTS_MAX = 1_024;

export interface EndpointRecord extends Pausable {
  readonly id: string;
  /** Null when withdrawn. */
  readonly declaration: EndpointDeclaration | null;
  /** Digest of the declaration: the same digest means no change. */
  readonly digest: string | null;
  readonly recent: Recent;
  /** The account of each of them. */
  readonly recentBy: RecentBy;
  /** Store time in ms of the newest success; null without one. */
  readonly servedAt: number | null;
  /** The newest failure of a paid request that was the provider's fault; it stays after a success. */
  readonly lastFailure: DatedFailure | null;
  /** The newest attempts, newest last. */
  readonly ring: readonly SeenAttempt[];
  /** Null while the provider's model list answers. */
  readonly list: FailingList | null;
  readonly windows: Windows;
  readonly findings: Findings;
  /** Computed last from windows and findings. */
  readonly measured: Measured;
  readonly evidence: Evidence;
  /** The newest report; null if none, or when it was over a minute old at the last computation. */
  readonly capacity: CapacityReport | null;
  /** Store time in ms of the first observation that no commit has kept; null without one. */
  readonly unkeptSince: number | null;
  /** Store time in ms of the last computation. */
  readonly measuredAt: number;
  /** True when the last refresh changed a figure. */
  readonly fresh: boolean;
}

/** A provider's report: slots in use, and in total. */
export type Slots = Pick<CapacityReport, 'current' | 'total'>;

export function emptyRecord(address: string): EndpointRecord {
  return {
    id: address.slice(address.indexOf(':') + 1),
    declaration: null,
    digest: null,
    recent: '',
    recentBy: [],
    servedAt: null,
    lastFailure: null,
    ring: [],
    list: null,
    windows: NO_WINDOWS,
    findings: NO_FINDINGS,
    evidence: NO_EVIDENCE,
    measured: figures(NO_WINDOWS, 0),
    capacity: null,
    unkeptSince: null,
    measuredAt: 0,
    fresh: false,
  };
}

export function healthIn(record: EndpointRecord): Health {
  return judge(observedIn(record)).health;
}

export function declare(record: EndpointRecord, declaration: EndpointDeclaration, digest: string): EndpointRecord {
  return { ...record, declaration, digest, findings: findingsUnder(record.findings, declaration) };
}

export function withdraw(record: EndpointRecord): EndpointRecord {
  return { ...record, declaration: null, digest: null };
}

/** Records attempts. An attempt without a time of its own, or with a later one, gets the event's time. */
export function observe(record: EndpointRecord, attempts: readonly ObservedAttempt[], at: number): EndpointRecord {
  const newest = attempts.slice(-ATTEMPTS_MAX);
  const { servedAt, lastFailure } = newest.reduce<Ends>((before, attempt) => withEnd(before, attempt, at), record);
  if (newest.length === 0) return record;
  const counted = newest.filter(({ outcome }) => outcome !== 'other');
  const ring = withAttempts(record.ring, newest, at);
  const { recent, by: recentBy } = counted.reduce(
    (before: Sample, { outcome, by = '' }) => withOutcome(before, outcome === 'success', by),
    { recent: record.recent, by: record.recentBy },
  );
  const findings = observeAsks(record.findings, counted, at);
  const windows = measure(record.windows, counted, at);
  const unkeptSince = record.unkeptSince ?? at;
  return { ...record, recent, recentBy, servedAt, lastFailure, ring, windows, findings, unkeptSince };
}

type Ends = Pick<EndpointRecord, 'servedAt' | 'lastFailure'>;

function withEnd(before: Ends, { outcome, failure, at: ended }: ObservedAttempt, now: number): Ends {
  const at = Math.min(ended ?? now, now);
  const { servedAt, lastFailure } = before;
  if (outcome === 'success') return { servedAt: Math.max(at, servedAt ?? at), lastFailure };
  if (failure === undefined || at < (lastFailure?.at ?? at)) return before;
  const ongoing = lastFailure !== null && (servedAt ?? Number.NEGATIVE_INFINITY) < lastFailure.at;
  return { servedAt, lastFailure: dated(ongoing ? lastFailure : null, failure, at) };
}

/** `before` is the newest failure of the same run. */
function dated(before: DatedFailure | null, failure: CallFailure, at: number): DatedFailure {
  const category = failure.category.slice(0, CATEGORY_CHARACTERS_MAX);
  const text = failure.text.slice(0, FAILURE_CHARACTERS_MAX);
  return { category, text, at, since: before?.category === category ? before.since : at };
}

export function check(record: EndpointRecord, seen: Observation, at: number): EndpointRecord {
  return { ...record, findings: observeCheck(record.findings, seen, at) };
}

export function benchmark(record: EndpointRecord, run: ObservedBenchmark, at: number): EndpointRecord {
  return { ...record, findings: observeBenchmark(record.findings, run, at) };
}

/** A report without a time, or with a later one, is of the event's time; one older than the newest changes nothing. */
export function report(
  record: EndpointRecord,
  { current, total, reportedAt }: Slots & { readonly reportedAt?: number },
  at: number,
): EndpointRecord {
  const capacity = { current, total, reportedAt: Math.min(reportedAt ?? at, at) };
  const isOlder = record.capacity !== null && capacity.reportedAt < record.capacity.reportedAt;
  return isOlder ? record : { ...record, capacity };
}

/** A null failure: the model list answered. */
export function probe(record: EndpointRecord, failure: CallFailure | null, at: number): EndpointRecord {
  if (failure === null) return record.list === null ? record : { ...record, list: null };
  const times = Math.min(PROBES_MAX, (record.list?.times ?? 0) + 1);
  return { ...record, list: { ...dated(record.list, failure, at), times } };
}

export function isDue(record: EndpointRecord, at: number): boolean {
  return at - record.measuredAt >= PUBLISH_EVERY_MS;
}

/** True when the oldest observation without a commit has waited long enough. */
export function isUnkept({ unkeptSince }: EndpointRecord, at: number): boolean {
  return unkeptSince !== null && at - unkeptSince >= KEEP_EVERY_MS;
}

/** The state after a step that is committed, and with it everything observed before. */
export function kept(record: EndpointRecord): EndpointRecord {
  return record.unkeptSince === null ? record : { ...record, unkeptSince: null };
}

/** Computes the figures; sets `fresh` when they changed. */
export function refresh(record: EndpointRecord, at: number): EndpointRecord {
  const { declaration, findings } = record;
  const measured = figures(record.windows, at);
  const evidence = declaration === null ? NO_EVIDENCE : evidenceOf(findings, declaration, at);
  const capacity = isStale(record.capacity, at) ? null : record.capacity;
  const fresh =
    capacity !== record.capacity ||
    JSON.stringify(measured) !== JSON.stringify(record.measured) ||
    JSON.stringify(evidence) !== JSON.stringify(record.evidence);
  return { ...record, measured, evidence, capacity, measuredAt: at, fresh };
}

function isStale(capacity: CapacityReport | null, at: number): boolean {
  return capacity !== null && at - capacity.reportedAt > CAPACITY_MS;
}

export function publishedEndpoint(record: EndpointRecord): Endpoint | null {
  const { declaration, evidence, measured, capacity, lastFailure } = record;
  if (declaration === null) return null;
  const observed = observedIn(record);
  return {
    ...declaration,
    health: judge(observed).health,
    healthReason: healthReason(observed),
    evidence,
    measured,
    ...(lastFailure && { lastFailure }),
    ...(capacity && { capacity }),
  };
}

/**
 * The provider of a withdrawn endpoint: a row, written in the commit that withdraws it, because its charges are still
 * earned by that provider.
 */
export const FORMER_COLLECTION = 'former';

interface FormerProvider {
  readonly slug: string;
}

export const formerCollection: Collection = { sort: () => 0 };

/** From the state before the withdrawal. */
export function keepProvider({ declaration }: EndpointRecord): readonly Effect[] {
  if (declaration === null) return [];
  const body = plain({ slug: declaration.provider.slug } satisfies FormerProvider);
  return [{ type: 'put', collection: FORMER_COLLECTION, id: 'provider', body }];
}

/** The slug; null for an endpoint that was never withdrawn. */
export async function formerProvider({ rows }: Pick<Cluster, 'rows'>, endpoint: string): Promise<string | null> {
  const query = { collection: FORMER_COLLECTION, address: endpointAddress(endpoint), limit: 1 };
  const [row] = await rows.rows(query);
  return row === undefined ? null : (JSON.parse(row.body) as FormerProvider).slug;
}
