import type { Verdict } from '../support/auditor/audit.ts';
import type { Operation } from '../support/auditor/history.ts';
import { CUTS } from './links.ts';
import type { Strike } from './nemesis.ts';
import type { Start } from './starts.ts';
import type { Awakening } from './zombies.ts';

/** The result of a chaos run. Any of `problems`, or a violated invariant, fails it. */
export interface ChaosReport {
  readonly seed: number;
  readonly strikes: readonly Strike[];
  readonly verdict: Verdict;
  readonly requests: Requests;
  readonly problems: readonly string[];
  /** Every start of a node's process, the first ones included. */
  readonly starts: readonly Start[];
  /** The outcome of each stopped process. */
  readonly awakenings: readonly Awakening[];
}

interface Requests {
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  readonly unknown: number;
  /** Requests expected to succeed that overlapped no fault window, and how many of them succeeded. */
  readonly calm: number;
  readonly calmOk: number;
  /** Refused for lack of money, broken upstream and aborted by the client, as their scenarios expect. */
  readonly wanted: number;
}

const OK_SHARE_MIN = 0.7;

export function countRequests(operations: readonly Operation[], strikes: readonly Strike[]): Requests {
  const of = (type: string): number => operations.filter(({ outcome }) => outcome?.type === type).length;
  const calm = operations.filter(
    ({ invoke, outcome }) =>
      invoke.expects === 'ok' &&
      !strikes.some(({ window }) => invoke.at <= window.to && (outcome?.at ?? Number.POSITIVE_INFINITY) >= window.from),
  );
  return {
    sent: operations.length,
    ok: of('ok'),
    failed: of('fail'),
    unknown: of('unknown'),
    calm: calm.length,
    calmOk: calm.filter(({ outcome }) => outcome?.type === 'ok').length,
    wanted: operations.filter(({ invoke, outcome }) => invoke.expects === 'refused' && outcome?.type === 'fail').length,
  };
}

/** Reasons why the run proves nothing, one line each: no fault took effect, nothing was checked, or most requests failed. */
export function problemsOf(strikes: readonly Strike[], verdict: Verdict, requests: Requests): readonly string[] {
  const problems: string[] = [];
  for (const strike of strikes) {
    if (!strike.tookEffect) problems.push(`${strike.fault} had no effect on ${strike.node}`);
    else if (strike.healedMs === null)
      problems.push(`the cluster did not recover after ${strike.fault} on ${strike.node}`);
  }
  if (strikes.some(({ node }) => node !== 'all') && takeovers(strikes).length === 0)
    problems.push('no dead node owned an account: no takeover was seen');
  if (requests.calm === 0 || requests.calmOk < requests.calm * OK_SHARE_MIN) {
    problems.push(`only ${requests.calmOk} of ${requests.calm} requests outside fault windows went well`);
  }
  if (requests.wanted === 0)
    problems.push('no request was refused for lack of money: rule K53 and rule K70 were not tested');
  for (const check of verdict.checks) {
    if (check.examined === 0) problems.push(`${check.id} (${check.title}) examined nothing`);
  }
  return problems;
}

export function passed(report: ChaosReport): boolean {
  return report.verdict.clean && report.problems.length === 0;
}

export function render(report: ChaosReport): string {
  const { requests, strikes, verdict } = report;
  const healed = strikes.flatMap((strike) => (strike.healedMs === null ? [] : [strike.healedMs]));
  const held = verdict.checks.filter(({ violations }) => violations.length === 0);
  const broken = verdict.checks.filter(({ violations }) => violations.length > 0);
  // What failed comes first, since a log is often cut at its end.
  const lines = [
    `seed ${report.seed}: ${requests.sent} requests, ${requests.ok} ok, ${requests.failed} failed, ${requests.unknown} unknown; outside fault windows ${requests.calmOk} of ${requests.calm} ok`,
    ...broken.flatMap(({ id, title, examined, violations }) => [
      `BROKEN ${id.padEnd(8)} ${title} (${examined} looked at)`,
      ...violations.map((violation) => `         ${violation}`),
    ]),
    ...report.problems.map((problem) => `FAILED: ${problem}`),
    '',
    ...strikes.map(
      (strike) =>
        `${strike.fault.padEnd(28)} ${strike.node.padEnd(4)} takeover ${ms(strike.takeoverMs)}, recovered ${ms(strike.healedMs)}`,
    ),
    '',
    takeoverLine(
      'killed',
      strikes.filter((strike) => !strike.zombie && !isCut(strike)),
    ),
    takeoverLine(
      'stopped',
      strikes.filter((strike) => strike.zombie),
    ),
    ...report.awakenings.map(
      ({ fault, node, end, refused, openCalls }) =>
        `${fault} on ${node}: ${end}; shards refused to its commits ${refused}, provider calls open when it woke ${openCalls}`,
    ),
    takeoverLine('cut off', strikes.filter(isCut)),
    startsLine(report.starts),
    `recovered: median ${ms(at(healed, 0.5))}, worst ${ms(at(healed, 1))}`,
    `lost acknowledgements ${verdict.lostAcknowledgements}, double charges ${verdict.doubleCharges}, leaked holds ${verdict.leakedHolds}`,
    '',
    ...held.map(({ id, title, examined }) => `holds  ${id.padEnd(8)} ${title} (${examined} looked at)`),
    passed(report) ? 'clean' : 'not clean',
  ];
  return lines.join('\n');
}

function isCut({ fault }: Strike): boolean {
  return (CUTS as readonly string[]).includes(fault);
}

function takeoverLine(how: string, strikes: readonly Strike[]): string {
  const times = takeovers(strikes);
  return `takeover (${how}, to the first settled request of an account of that node): min ${ms(at(times, 0))}, median ${ms(at(times, 0.5))}, p99 ${ms(at(times, 0.99))}, over ${times.length}`;
}

function startsLine(starts: readonly Start[]): string {
  const times = starts.flatMap(({ joinedMs }) => (joinedMs === null ? [] : [joinedMs]));
  const failed = starts.filter(({ failure }) => failure !== null).length;
  return `starts: ${starts.length}, joined ${times.length}, failed ${failed}; median ${ms(at(times, 0.5))}, worst ${ms(at(times, 1))}`;
}

export function takeovers(strikes: readonly Strike[]): readonly number[] {
  return strikes.flatMap((strike) => (strike.takeoverMs === null ? [] : [strike.takeoverMs])).sort((a, b) => a - b);
}

function at(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

function ms(value: number | null): string {
  return value === null ? 'none' : `${Math.round(value)} ms`;
}
