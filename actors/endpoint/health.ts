/** Health of an endpoint from its newest attempts and its probes (spec: catalogue, Endpoint health). Pure. */
export type Health = 'healthy' | 'degraded' | 'down' | 'unknown';

/** Newest counted attempts, oldest first: `s` a success, `e` an error. */
export type Recent = string;

/** The account behind each newest attempt, as a short tag; '' where an earlier build sent none. */
export type RecentBy = readonly string[];

export interface Sample {
  readonly recent: Recent;
  readonly by: RecentBy;
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

const ORDER: readonly Health[] = ['down', 'degraded', 'unknown', 'healthy'];

/**
 * Appends the newer outcome; keeps at most 20, and of one account at most five while others are among them. So one
 * account that fails without end displaces nobody's outcomes but its own. (issue 18, line 14)
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

/** `by` has one entry per attempt. Failures of one account alone never say `down` while others are heard too. */
export function healthOf(recent: Recent, probeFailures: number, by: RecentBy = []): Health {
  const judged = judge(recent);
  const byAttempts = judged === 'down' && isContradicted(recent, by) ? 'degraded' : judged;
  const byProbes = probeFailures >= PROBES_DOWN ? 'down' : probeFailures >= PROBES_DEGRADED ? 'degraded' : 'healthy';
  if (byProbes === 'healthy') return byAttempts;
  return ORDER.indexOf(byProbes) < ORDER.indexOf(byAttempts) ? byProbes : byAttempts;
}

/** All failures are of one account, and another account has succeeded. */
function isContradicted(recent: Recent, by: RecentBy): boolean {
  const failing = new Set(by.filter((_, at) => recent[at] === 'e'));
  return failing.size === 1 && !failing.has('') && by.some((account) => !failing.has(account));
}

export function successesIn(recent: Recent): number {
  return recent.split('s').length - 1;
}

function judge(recent: Recent): Health {
  if (recent.length < ATTEMPTS_MIN) return 'unknown';
  const percent = (100 * successesIn(recent)) / recent.length;
  if (percent >= HEALTHY_PERCENT) return 'healthy';
  return percent >= DEGRADED_PERCENT ? 'degraded' : 'down';
}
