/**
 * Health of an endpoint from its newest attempts and the probes of its provider's model list, and the fact that decided
 * it (rule C38). Pure.
 */
import type { DatedFailure } from '../terms/endpoint.ts';

export type Health = 'healthy' | 'degraded' | 'down' | 'unknown';

/** Newest counted attempts, oldest first: `s` a success, `e` an error. */
export type Recent = string;

/** The account behind each newest attempt, as a short tag; '' for an attempt without one. */
export type RecentBy = readonly string[];

export interface Sample {
  readonly recent: Recent;
  readonly by: RecentBy;
}

/** The provider's model list as probes found it: failing for so many probes in a row. */
export interface FailingList extends DatedFailure {
  readonly times: number;
}

/** What health is judged by. */
interface Observed extends Sample {
  /** Store time in ms of the newest counted success; null without one. */
  readonly servedAt: number | null;
  /** Null while the list answers. */
  readonly list: FailingList | null;
}

/** What decides, from the record of an endpoint. */
export function observedIn(record: Omit<Observed, 'by'> & { readonly recentBy: Observed['by'] }): Observed {
  const { recent, recentBy: by, servedAt, list } = record;
  return { recent, by, servedAt, list };
}

interface JudgedHealth {
  readonly health: Health;
  /** What decided: the attempts, their too small number, or the model list. */
  readonly by: 'attempts' | 'few' | 'list';
}

const RECENT_MAX = 20;
/** Of the newest attempts, those of one account while others are among them. */
const OF_ONE_MAX = 5;
const ATTEMPTS_MIN = 5;
const HEALTHY_PERCENT = 90;
const DEGRADED_PERCENT = 60;
/** Consecutive probe failures that lower health; a single one has no effect. */
const PROBES_DEGRADED = 2;
const PROBES_DOWN = 4;
/** Upper bound of the counter; larger counts have no further effect. */
export const PROBES_MAX = 1_000;
/** An answer to a paid request so many ms before the newest failing probe outranks the model list. */
const SERVED_MS = 5 * 60_000;
/** The probe reached no server. */
const UNREACHABLE: ReadonlySet<string> = new Set(['connect', 'connect-timeout']);

const ORDER: readonly Health[] = ['down', 'degraded', 'unknown', 'healthy'];

/**
 * Appends the newer outcome; keeps at most 20, and of one account at most five while others are among them. So one
 * account that fails without end displaces only its own outcomes.
 */
export function withOutcome({ recent, by }: Sample, success: boolean, account: string): Sample {
  const outcomes = recent + (success ? 's' : 'e');
  if (by.every((other) => other === account)) {
    return { recent: outcomes.slice(-RECENT_MAX), by: by.length < RECENT_MAX ? [...by, account] : by };
  }
  const added = { recent: outcomes, by: [...by, account] };
  const bounded = without(added, exceeding(added.by));
  return bounded.recent.length > RECENT_MAX ? without(bounded, 0) : bounded;
}

/** Place of the oldest attempt of an account with too many; -1 if none has. */
function exceeding(by: RecentBy): number {
  return by.findIndex((account) => account !== '' && timesIn(by, account) > OF_ONE_MAX);
}

function timesIn(by: RecentBy, account: string): number {
  let times = 0;
  for (const other of by) if (other === account) times++;
  return times;
}

function without(sample: Sample, place: number): Sample {
  if (place < 0) return sample;
  const { recent, by } = sample;
  const less = { recent: recent.slice(0, place) + recent.slice(place + 1), by: by.filter((_, at) => at !== place) };
  return isAlone(less.by) ? less : without(less, exceeding(less.by));
}

function isAlone(by: RecentBy): boolean {
  return by.every((account) => account === by[0]);
}

/** The attempts judge; a failing model list lowers their judgement, unless paid answers outrank it. */
export function judge(observed: Observed): JudgedHealth {
  const byAttempts = healthOf(observed);
  const byList = listHealth(observed);
  if (ORDER.indexOf(byList) < ORDER.indexOf(byAttempts)) return { health: byList, by: 'list' };
  return { health: byAttempts, by: byAttempts === 'unknown' ? 'few' : 'attempts' };
}

/** Health by the attempts alone. Failures of one account never say `down` while others are answered. */
export function healthOf({ recent, by }: Sample): Health {
  if (recent.length < ATTEMPTS_MIN) return 'unknown';
  const percent = (100 * successesIn(recent)) / recent.length;
  if (percent >= HEALTHY_PERCENT) return 'healthy';
  return percent >= DEGRADED_PERCENT || isContradicted(recent, by) ? 'degraded' : 'down';
}

function listHealth({ list, servedAt }: Observed): Health {
  if (list === null || list.times < PROBES_DEGRADED || isOutranked(list, servedAt)) return 'healthy';
  return list.times < PROBES_DOWN ? 'degraded' : 'down';
}

/**
 * A provider that answers paid requests serves, whatever its model list does. Where a probe reached no server at all,
 * only answers since then tell that.
 */
function isOutranked(list: FailingList, servedAt: number | null): boolean {
  if (servedAt === null || servedAt < list.at - SERVED_MS) return false;
  return !UNREACHABLE.has(list.category) || servedAt >= list.since;
}

/** All failures are of one account, and another account has succeeded. */
function isContradicted(recent: Recent, by: RecentBy): boolean {
  const failing = new Set(by.filter((_, at) => recent[at] === 'e'));
  return failing.size === 1 && !failing.has('') && by.some((account) => !failing.has(account));
}

function successesIn(recent: Recent): number {
  return recent.split('s').length - 1;
}

/** The fact that decided the health, as a sentence. */
export function healthReason(observed: Observed): string {
  const { recent, by, list } = observed;
  const decided = judge(observed);
  if (decided.by === 'list' && list !== null) return `${listSentence(list)}; 2 in a row make it degraded, 4 down.`;
  const attempts = recent.length === 1 ? '1 attempt was' : `${recent.length} attempts were`;
  if (decided.by === 'few') return `Only ${attempts} counted; health is judged from 5 on.`;
  const share = `${successesIn(recent)} of its newest ${recent.length} attempts succeeded`;
  if (decided.health === 'degraded' && isContradicted(recent, by)) {
    return `${share}, and all failures are of one account while others are answered (60 % is degraded).`;
  }
  return `${share} (90 % is healthy, 60 % degraded).`;
}

/** What the model list does where it did not decide. */
export function explainList(observed: Observed): readonly string[] {
  const { list, servedAt } = observed;
  if (list === null || judge(observed).by === 'list') return [];
  if (servedAt !== null && list.times > 1 && isOutranked(list, servedAt)) {
    return [`${listSentence(list)}. A paid request was answered at ${isoTime(servedAt)}, which outranks it.`];
  }
  return [`${listSentence(list)}; that lowers no health now.`];
}

interface FailureState {
  readonly lastFailure: DatedFailure | null;
  readonly servedAt: number | null;
}

/** `where`: of a request that failed at one of several endpoints. */
export function explainFailure({ lastFailure, servedAt }: FailureState, where = ''): readonly string[] {
  if (lastFailure === null) return [];
  const { at, since, category, text } = lastFailure;
  const first = since < at ? `, first at ${isoTime(since)}` : '';
  const served = servedAt !== null && servedAt > at ? ` It answered again at ${isoTime(servedAt)}.` : '';
  return [`The last failure of a request${where} was at ${isoTime(at)}${first}: ${category}, ${text}.${served}`];
}

function listSentence(list: FailingList): string {
  return `Its provider's model list ${listText(list)}`;
}

export function listText({ times, since, at, text }: FailingList): string {
  const often = times === 1 ? 'failed' : `failed ${times} times in a row since ${isoTime(since)}, last`;
  return `${often} at ${isoTime(at)}: ${text}`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
