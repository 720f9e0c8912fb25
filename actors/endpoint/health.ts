/** Health of an endpoint from its newest attempts and its probes (spec: catalogue, Endpoint health). Pure. */
export type Health = 'healthy' | 'degraded' | 'down' | 'unknown';

/** Newest counted attempts, oldest first: `s` a success, `e` an error. */
export type Recent = string;

const RECENT_MAX = 20;
const ATTEMPTS_MIN = 5;
const HEALTHY_PERCENT = 90;
const DEGRADED_PERCENT = 60;
/** Consecutive probe failures that lower health; a single one has no effect. */
const PROBES_DEGRADED = 2;
const PROBES_DOWN = 4;
/** Upper bound of the counter; larger counts have no further effect. */
export const PROBES_MAX = 1_000;

const ORDER: readonly Health[] = ['down', 'degraded', 'unknown', 'healthy'];

/** Appends the newer outcome; keeps at most 20. */
export function withOutcome(recent: Recent, success: boolean): Recent {
  return (recent + (success ? 's' : 'e')).slice(-RECENT_MAX);
}

export function healthOf(recent: Recent, probeFailures: number): Health {
  const byAttempts = judge(recent);
  const byProbes = probeFailures >= PROBES_DOWN ? 'down' : probeFailures >= PROBES_DEGRADED ? 'degraded' : 'healthy';
  if (byProbes === 'healthy') return byAttempts;
  return ORDER.indexOf(byProbes) < ORDER.indexOf(byAttempts) ? byProbes : byAttempts;
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
