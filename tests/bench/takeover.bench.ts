import { takeovers } from '../chaos/report.ts';
import { runChaos } from '../chaos/run.ts';
import type { Figure } from './figure.ts';

const KILLS = 10;
const STOPS = 4;

/** Time from a fault to the first request that an account of the dead node holds and settles again, for a client. */
export async function benchTakeover(): Promise<readonly Figure[]> {
  const report = await runChaos({
    store: 'sqlite',
    kills: KILLS,
    stops: STOPS,
    cuts: 0,
    owners: false,
    seed: Math.floor(Math.random() * 2 ** 31),
    inFlight: 12,
    calmMs: 1_000,
    keep: false,
    tell: () => {},
  });
  const of = (stopped: boolean): readonly number[] =>
    takeovers(report.strikes.filter((strike) => (strike.zombie !== undefined) === stopped));
  const figure = (name: string, times: readonly number[], atMost: number): Figure => ({
    name,
    unit: 'ms',
    ours: times.at(-1) ?? Number.NaN,
    baseline: null,
    goal: { atMost, of: 'value' },
    note: `median ${Math.round(times[times.length >> 1] ?? Number.NaN)} ms over ${times.length}${report.verdict.clean ? '' : '; the audit found something'}`,
  });
  return [
    figure('takeover after SIGKILL, worst', of(false), 1_000),
    figure('takeover after SIGSTOP, worst', of(true), 4_500),
  ];
}
