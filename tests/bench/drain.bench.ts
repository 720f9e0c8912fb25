import { type Drain, failuresOf, rollingDrains } from '../chaos/drains.ts';
import type { Operation } from '../support/auditor/history.ts';
import type { Figure } from './figure.ts';

const IN_FLIGHT = 12;
const CALM_MS = 4_000;
const SHARE_MS = 10_000;

/** Restarts every node of a cluster under load, in sequence: failed calls, and the latency added to the others. */
export async function benchDrain(): Promise<readonly Figure[]> {
  const ways = ['SIGTERM', 'troupe drain', 'SIGTERM'] as const;
  const { operations, drains } = await rollingDrains({ ways, inFlight: IN_FLIGHT, calmMs: CALM_MS });
  return [...callFigures(operations, drains), ...joinFigures(drains)];
}

function callFigures(all: readonly Operation[], drains: readonly Drain[]): readonly Figure[] {
  const meant = all.filter(({ invoke }) => invoke.expects === 'ok');
  const failed = failuresOf(all);
  const during = ({ invoke, outcome }: Operation): boolean =>
    drains.some(({ from, to }) => invoke.at <= to && (outcome?.at ?? Number.POSITIVE_INFINITY) >= from);
  const quick = meant.filter(
    ({ invoke, outcome }) => outcome?.type === 'ok' && !invoke.stream && invoke.model === 'sim/fast',
  );
  const p99 = (operations: readonly Operation[]): number => {
    const times = operations.map(({ invoke, outcome }) => (outcome?.at ?? 0) - invoke.at).sort((a, b) => a - b);
    return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  };
  return [
    {
      name: `failed calls in ${drains.length} drains`,
      unit: 'calls',
      ours: failed.length,
      baseline: null,
      goal: { atMost: 0, of: 'value' },
      note: `of ${meant.length}${failed.length > 0 ? `: ${[...new Set(failed)].join(', ')}` : ''}`,
    },
    {
      name: 'whole answer while a node drains, p99',
      unit: 'ms',
      ours: p99(quick.filter(during)),
      baseline: p99(quick.filter((operation) => !during(operation))),
      goal: { atMost: 250, of: 'difference' },
    },
  ];
}

function joinFigures(drains: readonly Drain[]): readonly Figure[] {
  const joins = drains.map((each) => each.join);
  const share = joins.map((each) => each.share).join(', ');
  return [
    {
      name: 'a node that joins owns its share, slowest',
      unit: 'ms',
      ours: Math.max(...joins.map(({ tookMs }) => tookMs ?? Number.POSITIVE_INFINITY)),
      baseline: null,
      goal: { atMost: SHARE_MS, of: 'value' },
      note: `${share} shards`,
    },
    {
      name: 'shards that moved without need',
      unit: 'shards',
      ours: joins.reduce((sum, { needless }) => sum + needless, 0),
      baseline: null,
      goal: { atMost: 0, of: 'value' },
    },
  ];
}
