import type { LoadResult } from '../bench/load.ts';
import type { Bare, Seen } from './site.ts';

/** Bounds of issue 18: another tenant waits at most three times as long, and an overload costs a fifth of the peak. */
const SLOWER_MAX = 3;
const GOODPUT_MIN = 0.8;
const REFUSED_MS_MAX = 50;

/**
 * What another tenant did not get. The machine's own part is not the product's: it is subtracted, and both stay in the
 * report. It is what the chain of processes became slower by at the same time, or, in an overload, what `bare` took:
 * requests to processes that only answer, under the same load.
 */
export function judgedDelay(
  { tenant, chain, ended }: Pick<Seen, 'tenant' | 'chain' | 'ended'>,
  quiet: Pick<Seen, 'tenant' | 'chain'>,
  bare: LoadResult | null = null,
): readonly (string | null)[] {
  const failed = Object.entries(tenant.failures).map(([status, count]) => `${count} times ${status}`);
  const machineMs = Math.max(0, chain.servedMs.p99 - quiet.chain.servedMs.p99, bare?.servedMs.p99 ?? 0);
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
  bare,
}: {
  readonly peak: LoadResult;
  readonly offered: LoadResult;
  readonly bare: Pick<Bare, 'offered'>;
}): readonly (string | null)[] {
  const [best, kept] = [peak.answered / peak.seconds, offered.answered / offered.seconds];
  const wrong = Object.keys(offered.failures).filter((status) => status !== '503');
  // Where processes that only answer are slower than the bound, no server can keep it: then they are the measure.
  const bareMs = bare.offered.refusedMs.p99;
  const refusedMs = offered.refusedMs.p99;
  const refusedMsMax = Math.max(REFUSED_MS_MAX, bareMs);
  return [
    kept < best * GOODPUT_MIN ? `goodput ${Math.round((100 * kept) / best)} % of the peak` : null,
    refusedMs > refusedMsMax
      ? `refused within ${ms(refusedMs)}, processes that only answer within ${ms(bareMs)}`
      : null,
    wrong.length > 0 ? `answered ${wrong.join(', ')}` : null,
  ];
}

/** A percentile of nothing is NaN, which arrives from another process as null. */
export function ms(value: number | null): string {
  return value === null || Number.isNaN(value) ? 'none' : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
