import { cpus } from 'node:os';
import { cpuSeconds } from '../bench/child.ts';

/** CPU time used so far, by the machine and by named processes. Seconds. */
interface CpuSample {
  readonly busy: number;
  readonly total: number;
  readonly by: Readonly<Record<string, number>>;
}

export function sampleCpu(pids: Readonly<Record<string, readonly number[]>>): CpuSample {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0) / 1_000;
  const total = times.reduce((sum, each) => sum + each.user + each.nice + each.sys + each.irq + each.idle, 0) / 1_000;
  const by = Object.fromEntries(
    Object.entries(pids).map(([name, list]) => [name, list.reduce((sum, pid) => sum + usedBy(pid), 0)]),
  );
  return { busy: total - idle, total, by };
}

/** Shares of the machine's CPU time between two samples. */
export interface CpuShares {
  readonly busy: number;
  readonly by: Readonly<Record<string, number>>;
}

export function cpuShares(before: CpuSample, after: CpuSample): CpuShares {
  const total = after.total - before.total;
  const by = Object.entries(after.by).map(([name, used]) => [name, (used - (before.by[name] ?? 0)) / total] as const);
  return { busy: (after.busy - before.busy) / total, by: Object.fromEntries(by) };
}

export function shownShares({ busy, by }: CpuShares): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const parts = Object.entries(by).map(([name, share]) => `${name} ${percent(share)}`);
  return `CPU ${percent(busy)}: ${parts.join(', ')}`;
}

/** A process that has ended used what its successor has not: its part is lost. */
function usedBy(pid: number): number {
  try {
    return cpuSeconds(pid);
  } catch {
    return 0;
  }
}
