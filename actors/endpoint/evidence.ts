/**
 * Findings about an endpoint's declared abilities, from its own traffic and from scheduled checks. Bounded: one finding
 * per check (fifteen), 49 buckets of tool asks, 16 benchmark scores. A finding is valid for one serving configuration
 * and one version of the probe, for 24 hours at most. Pure. (rule C40, rule I111)
 */

import { createHash } from 'node:crypto';
import {
  type BenchmarkScore,
  type Check,
  type CheckFinding,
  type Effort,
  type EndpointDeclaration,
  type Evidence,
  TOOL_CALL_SUCCESS_MIN,
} from '../terms/endpoint.ts';
import { gather, type ObservedAttempt, type Ring, since } from './window.ts';

export const EVIDENCE_MS = 24 * 60 * 60_000;
const DETAIL_CHARACTERS_MAX = 160;
/** Data sets with a score; a further one displaces the score that is oldest. */
const BENCHMARKS_MAX = 16;

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const MEDIA = ['image', 'audio', 'video', 'file'] as const;
const CHECKS: readonly Check[] = [
  ...(['tools', 'tool_dispatch', 'structured_outputs', 'response_format'] as const),
  ...MEDIA.map((medium): Check => `input:${medium}`),
  ...EFFORTS.map((effort): Check => `effort:${effort}`),
];

/** Declared parameters that a failed check withholds. Without `tools`, `tool_choice` is withheld too. */
const WITHHOLDS: Partial<Readonly<Record<Check, readonly string[]>>> = {
  tools: ['tools', 'tool_choice'],
  structured_outputs: ['structured_outputs'],
  response_format: ['response_format'],
};

export type Verdict = 'passed' | 'failed' | 'inconclusive';

/** The result of one check, sent by the checker. */
export interface Observation {
  readonly check: Check;
  readonly verdict: Verdict;
  /** Digest of the tested configuration. */
  readonly configuration: string;
  /** Version of the probe. */
  readonly version: number;
  /** Description in our own words, never a provider's text. */
  readonly detail: string;
}

/** The result of one benchmark run. */
export interface ObservedBenchmark {
  readonly dataset: string;
  /** Percent of the graded answers that were right. */
  readonly score: number;
  readonly samples: number;
  /** Digest of the tested configuration. */
  readonly configuration: string;
}

export interface Finding {
  readonly version: number;
  /** Store time in ms of the newest try, and its result. */
  readonly triedAt: number;
  readonly tried: Verdict;
  readonly detail: string;
  /** The newest conclusive verdict of this version, and its time; null without one. */
  readonly verdict: 'passed' | 'failed' | null;
  readonly verdictAt: number;
}

export interface Findings {
  /** The configuration that the findings apply to; null before the first declaration. */
  readonly configuration: string | null;
  readonly byCheck: { readonly [check in Check]?: Finding };
  readonly asks: readonly ToolAsks[];
  readonly benchmarks: readonly BenchmarkScore[];
}

export const NO_FINDINGS: Findings = { configuration: null, byCheck: {}, asks: [], benchmarks: [] };

/** No checks yet, or all findings have expired. */
export const NO_EVIDENCE: Evidence = {
  withheld: [],
  refutedEfforts: [],
  refutedInputs: [],
  dispatchVerified: false,
  toolCallSuccess1d: null,
  toolCallSuccess1dSamples: 0,
};

/** The findings valid under a declaration: all of them when the serving configuration is unchanged, else none. */
export function findingsUnder(findings: Findings, declaration: EndpointDeclaration): Findings {
  const configuration = configurationOf(declaration);
  return findings.configuration === configuration ? findings : { ...NO_FINDINGS, configuration };
}

/** Counts the tool asks among clients' attempts. */
export function observeAsks(findings: Findings, attempts: readonly ObservedAttempt[], at: number): Findings {
  const asks = countAsks(findings.asks, attempts, at);
  return asks === findings.asks ? findings : { ...findings, asks };
}

/**
 * Records the result of a check. Results of another configuration or of an older probe are ignored. An inconclusive
 * result keeps the verdict and its age. The first result of a newer probe discards the older probe's verdict.
 */
export function observeCheck(findings: Findings, seen: Observation, at: number): Findings {
  const { check, verdict, version, configuration } = seen;
  const before = findings.byCheck[check];
  if (configuration !== findings.configuration || !CHECKS.includes(check)) return findings;
  if (before !== undefined && before.version > version) return findings;
  const known = before?.version === version ? before : undefined;
  const finding: Finding = {
    version,
    triedAt: at,
    tried: verdict,
    detail: seen.detail.slice(0, DETAIL_CHARACTERS_MAX),
    ...(verdict === 'inconclusive'
      ? { verdict: known?.verdict ?? null, verdictAt: known?.verdictAt ?? at }
      : { verdict, verdictAt: at }),
  };
  const byCheck = { ...findings.byCheck, [check]: finding };
  return { ...findings, byCheck, asks: check === 'tools' ? withProbe(findings.asks, verdict, at) : findings.asks };
}

/** Records a run; the newest of a data set counts. Runs against another configuration are ignored. */
export function observeBenchmark(findings: Findings, run: ObservedBenchmark, at: number): Findings {
  const { dataset, score, samples, configuration } = run;
  if (configuration !== findings.configuration) return findings;
  const others = findings.benchmarks.filter((one) => one.dataset !== dataset);
  const benchmarks = [...others, { dataset, score, samples, ranAt: at }].slice(-BENCHMARKS_MAX);
  return { ...findings, benchmarks };
}

/**
 * Below the floor the endpoint receives no tool asks from clients, so its percentage could never recover. While it is
 * below, scheduled tool checks count as its asks. Above the floor they do not count: they are easier than clients' asks
 * and would raise the percentage.
 */
function withProbe(asks: readonly ToolAsks[], verdict: Verdict, at: number): readonly ToolAsks[] {
  if (verdict === 'inconclusive' || !toolFidelity(asks, at).underFloor) return asks;
  return countAsks(asks, [{ toolAsk: verdict === 'passed' ? 'kept' : 'broken' }], at);
}

/** The valid verdict of a check at `at`; null without one, or when it is older than 24 hours. */
export function validVerdict(finding: Finding | undefined, at: number): 'passed' | 'failed' | null {
  return finding !== undefined && at - finding.verdictAt < EVIDENCE_MS ? finding.verdict : null;
}

/** The evidence that routing uses at `at`. */
export function evidenceOf(findings: Findings, declaration: EndpointDeclaration, at: number): Evidence {
  const { percent, samples, underFloor } = toolFidelity(findings.asks, at);
  const failed = (check: Check): boolean => validVerdict(findings.byCheck[check], at) === 'failed';
  const withheld = CHECKS.flatMap((check) =>
    failed(check) || (check === 'tools' && underFloor) ? (WITHHOLDS[check] ?? []) : [],
  );
  return {
    withheld: withheld.filter((name) => declaration.supportedParameters.includes(name)),
    refutedEfforts: EFFORTS.filter((effort) => failed(`effort:${effort}`)),
    refutedInputs: MEDIA.filter((medium) => failed(`input:${medium}`)),
    dispatchVerified: validVerdict(findings.byCheck.tool_dispatch, at) === 'passed',
    toolCallSuccess1d: percent,
    toolCallSuccess1dSamples: samples,
    checks: CHECKS.flatMap((check) => {
      const finding = findings.byCheck[check];
      return finding ? [checkFinding(check, finding, at)] : [];
    }),
    benchmarks: findings.benchmarks,
  };
}

function checkFinding(check: Check, finding: Finding, at: number): CheckFinding {
  const { triedAt, verdictAt, version } = finding;
  const verdict = validVerdict(finding, at);
  return verdict === null ? { check, verdict, triedAt } : { check, verdict, triedAt, verdictAt, version };
}

/**
 * Demanded tool asks (required or named choice) of the last day, in mergeable half-hour buckets, at most 49. Pure: each
 * observation has its time. (rule C35)
 */
const DAY: Ring = { bucketMs: 30 * 60_000, spanMs: 24 * 60 * 60_000 };
const SAMPLES_MIN = 20;

/** Demanded tool asks (required or named choice) of one half hour; at most 49 of them are kept. (rule C35) */
interface ToolAsks {
  /** Store time, ms. */
  readonly start: number;
  readonly kept: number;
  readonly broken: number;
}

interface ToolFidelity {
  /** Percent; null below 20 samples. */
  readonly percent: number | null;
  readonly samples: number;
  readonly underFloor: boolean;
}

type Asked = Pick<ObservedAttempt, 'at' | 'toolAsk'>;

/** Adds the asks among these attempts, each to the bucket of its time. */
export function countAsks(buckets: readonly ToolAsks[], attempts: readonly Asked[], at: number): readonly ToolAsks[] {
  const asks = attempts.filter(({ toolAsk }) => toolAsk !== undefined);
  return gather<Asked, ToolAsks, { start: number; kept: number; broken: number }>(buckets, asks, {
    at,
    ring: DAY,
    draft: (start, from) => ({ kept: 0, broken: 0, ...from, start }),
    count: (bucket, { toolAsk }) => {
      if (toolAsk !== undefined) bucket[toolAsk]++;
    },
  });
}

export function toolFidelity(buckets: readonly ToolAsks[], at: number): ToolFidelity {
  const live = since(buckets, at, DAY);
  const kept = live.reduce((sum, bucket) => sum + bucket.kept, 0);
  const samples = live.reduce((sum, bucket) => sum + bucket.broken, kept);
  if (samples < SAMPLES_MIN) return { percent: null, samples, underFloor: false };
  const exact = (100 * kept) / samples;
  return { percent: +exact.toFixed(3), samples, underFloor: exact < TOOL_CALL_SUCCESS_MIN };
}

/**
 * Digest of the serving configuration that checks test: equal configurations have equal digests. Names, prices and data
 * policies are not part of it, so that a price change does not discard findings. (rule C40)
 */
export function configurationOf(declaration: EndpointDeclaration): string {
  const { target, quantization, ceilingName, supportedParameters, reasoning, defaultParameters } = declaration;
  const { contextLength, completionTokensMax, promptTokensMax, inputModalities, outputModalities } = declaration;
  const tested = [
    target.dialect,
    target.baseUrl,
    target.upstreamId,
    quantization,
    ceilingName,
    supportedParameters,
    reasoning,
    defaultParameters,
    declaration.descriptors,
    declaration.passthrough,
    contextLength,
    completionTokensMax,
    promptTokensMax,
    inputModalities,
    outputModalities,
    target.wire,
  ];
  return createHash('sha256').update(JSON.stringify(tested)).digest('hex').slice(0, 16);
}
