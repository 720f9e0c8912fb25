import type { LoadResult } from '../bench/load.ts';
import type { Bare, Seen } from './site.ts';

/** Another tenant waits at most three times as long, and an overload costs a fifth of the peak. */
const SLOWER_MAX = 3;
const GOODPUT_MIN = 0.8;
const REFUSED_MS_MAX = 50;

/**
 * What another tenant did not get. The machine's own part is not the product's: it is subtracted, and both stay in the
 * report. It is what the chain of processes became slower by at the same time, or, in an overload, what `bare` took:
 * requests to a bare proxy under the same load.
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

/**
 * What an overload did not hold. Where a bare proxy keeps less of its own peak, or refuses later than the bound, no
 * gateway on this machine can keep it: then the bare proxy is the measure.
 */
export function judgedOverload({
  peak,
  offered,
  bare,
}: {
  readonly peak: LoadResult;
  readonly offered: LoadResult;
  readonly bare: Pick<Bare, 'peak' | 'offered'>;
}): readonly (string | null)[] {
  const [kept, bareKept] = [keptOf({ peak, offered }), keptOf(bare)];
  const wrong = Object.keys(offered.failures).filter((status) => status !== '503');
  const [refusedMs, bareMs] = [offered.refusedMs.p99, bare.offered.refusedMs.p99];
  return [
    kept < Math.min(GOODPUT_MIN, bareKept)
      ? `goodput ${percent(kept)} of the peak, a bare proxy ${percent(bareKept)}`
      : null,
    refusedMs > Math.max(REFUSED_MS_MAX, bareMs)
      ? `refused within ${ms(refusedMs)}, a bare proxy within ${ms(bareMs)}`
      : null,
    wrong.length > 0 ? `answered ${wrong.join(', ')}` : null,
  ];
}

/** Which part of the peak is served in the overload. */
export function keptOf({ peak, offered }: Pick<Bare, 'peak' | 'offered'>): number {
  return offered.answered / offered.seconds / (peak.answered / peak.seconds);
}

export function percent(part: number): string {
  return `${Math.round(100 * part)} %`;
}

/** A percentile of nothing is NaN, which arrives from another process as null. */
export function ms(value: number | null): string {
  return value === null || Number.isNaN(value) ? 'none' : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
