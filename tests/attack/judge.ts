import type { LoadResult } from '../bench/load.ts';
import { SATURATED } from './machine.ts';
import type { Seen } from './site.ts';

/** Bounds of issue 18: another tenant waits at most three times as long, and an overload costs a fifth of the peak. */
const SLOWER_MAX = 3;
const GOODPUT_MIN = 0.8;
const REFUSED_MS_MAX = 50;

/**
 * What another tenant did not get. The machine's own part, by which the chain of processes became slower at the same
 * time, is not the product's: it is subtracted, and both stay in the report.
 */
export function judgedDelay(
  { tenant, chain, ended }: Pick<Seen, 'tenant' | 'chain' | 'ended'>,
  quiet: Pick<Seen, 'tenant' | 'chain'>,
): readonly (string | null)[] {
  const failed = Object.entries(tenant.failures).map(([status, count]) => `${count} times ${status}`);
  const machineMs = Math.max(0, chain.servedMs.p99 - quiet.chain.servedMs.p99);
  const ownMs = tenant.servedMs.p99 - machineMs;
  const quietMs = quiet.tenant.servedMs.p99;
  const times = (tenant.servedMs.p99 / quietMs).toFixed(1);
  const isSlow = !(ownMs <= quietMs * SLOWER_MAX);
  return [
    failed.length > 0 ? `the tenant was answered ${failed.join(', ')}` : null,
    isSlow ? `the tenant waits ${times} times as long, ${ms(machineMs)} of it the machine` : null,
    ended === null ? null : `a node ended: ${ended}`,
  ];
}

/** What an overload did not hold. */
export function judgedOverload({
  peak,
  offered,
  seen,
}: {
  readonly peak: LoadResult;
  readonly offered: LoadResult;
  readonly seen: Pick<Seen, 'cpu' | 'refusals'>;
}): readonly (string | null)[] {
  const [best, kept] = [peak.answered / peak.seconds, offered.answered / offered.seconds];
  const wrong = Object.keys(offered.failures).filter((status) => status !== '503');
  // A generator on the same saturated processors reads its answers late; then the nodes' own clock decides.
  const isSaturated = seen.cpu.busy >= SATURATED;
  const refusedMs = isSaturated ? seen.refusals.p99Ms : offered.refusedMs.p99;
  const where = isSaturated ? ' inside the nodes' : '';
  return [
    kept < best * GOODPUT_MIN ? `goodput ${Math.round((100 * kept) / best)} % of the peak` : null,
    refusedMs > REFUSED_MS_MAX ? `refused within ${ms(refusedMs)}${where}` : null,
    wrong.length > 0 ? `answered ${wrong.join(', ')}` : null,
  ];
}

/** A percentile of nothing is NaN, which arrives from another process as null. */
export function ms(value: number | null): string {
  return value === null || Number.isNaN(value) ? 'none' : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
