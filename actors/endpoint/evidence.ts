/**
 * What was found about an endpoint's declared abilities, by its own traffic and by scheduled checks. Bounded: one
 * finding per check (eleven), 49 buckets of tool asks. Everything found counts for one serving configuration and one
 * version of the probe, for 24 hours at most. Pure. (spec: catalogue, "Capability evidence"; inference, Routing rules 2, 3)
 */
import type { EndpointDeclaration } from '../terms/declaration.ts';
import type { Check, Effort, Evidence } from '../terms/endpoint.ts';
import { configurationOf } from './configuration.ts';
import { countAsks, type ToolAsks, toolFidelity } from './tool-asks.ts';
import type { ObservedAttempt } from './window.ts';

export const EVIDENCE_MS = 24 * 60 * 60_000;
const DETAIL_CHARACTERS_MAX = 160;

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const CHECKS: readonly Check[] = [
  ...(['tools', 'tool_dispatch', 'structured_outputs', 'response_format'] as const),
  ...EFFORTS.map((effort): Check => `effort:${effort}`),
];

/** Declarations that a standing failure of a check takes back. A choice of tools is nothing without tools. */
const WITHHOLDS: Partial<Readonly<Record<Check, readonly string[]>>> = {
  tools: ['tools', 'tool_choice'],
  structured_outputs: ['structured_outputs'],
  response_format: ['response_format'],
};

export type Verdict = 'passed' | 'failed' | 'inconclusive';

/** What one check has shown, as the checker tells it. */
export interface Observation {
  readonly check: Check;
  readonly verdict: Verdict;
  /** Of the configuration that was tested. */
  readonly configuration: string;
  /** Of the probe that tested it. */
  readonly version: number;
  /** Our own words for what was seen; never a provider's. */
  readonly detail: string;
}

export interface Finding {
  readonly version: number;
  /** Store time in ms of the newest try, and what it gave. */
  readonly triedAt: number;
  readonly tried: Verdict;
  readonly detail: string;
  /** The newest conclusive verdict of this version, and its time; null where there is none. */
  readonly verdict: 'passed' | 'failed' | null;
  readonly verdictAt: number;
}

export interface Findings {
  /** What they were found for; null before anything was declared. */
  readonly configuration: string | null;
  readonly byCheck: { readonly [check in Check]?: Finding };
  readonly asks: readonly ToolAsks[];
}

export const NO_FINDINGS: Findings = { configuration: null, byCheck: {}, asks: [] };

/** Nothing was checked yet, or everything found is too old. */
export const NO_EVIDENCE: Evidence = {
  withheld: [],
  refutedEfforts: [],
  dispatchVerified: false,
  toolCallSuccess1d: null,
  toolCallSuccess1dSamples: 0,
};

/** The findings under a declaration: all of them where it serves as before, else none. */
export function findingsUnder(findings: Findings, declaration: EndpointDeclaration): Findings {
  const configuration = configurationOf(declaration);
  return findings.configuration === configuration ? findings : { ...NO_FINDINGS, configuration };
}

/** Counts the tool asks of callers. */
export function observeAsks(findings: Findings, attempts: readonly ObservedAttempt[], at: number): Findings {
  const asks = countAsks(findings.asks, attempts, at);
  return asks === findings.asks ? findings : { ...findings, asks };
}

/**
 * Takes note of a check. One of another configuration or of an older probe changes nothing. An inconclusive one leaves
 * the verdict and its age as they are; one of a newer probe ends what the older had found, whatever it shows.
 */
export function observeCheck(findings: Findings, seen: Observation, at: number): Findings {
  const { check, verdict, version, configuration } = seen;
  const before = findings.byCheck[check];
  if (configuration !== findings.configuration || !CHECKS.includes(check)) return findings;
  if (before !== undefined && before.version > version) return findings;
  const known = before?.version === version ? before : undefined;
  const finding: Finding = {
    ...{ version, triedAt: at, tried: verdict, detail: seen.detail.slice(0, DETAIL_CHARACTERS_MAX) },
    ...(verdict === 'inconclusive'
      ? { verdict: known?.verdict ?? null, verdictAt: known?.verdictAt ?? at }
      : { verdict, verdictAt: at }),
  };
  const byCheck = { ...findings.byCheck, [check]: finding };
  return { ...findings, byCheck, asks: check === 'tools' ? withProbe(findings.asks, verdict, at) : findings.asks };
}

/**
 * Under the floor no caller's tool ask reaches the endpoint, and without asks it could never measure above again: so the
 * scheduled tool checks are counted as its asks for as long as it stands there. Above the floor they are not: they are
 * easier than what callers ask, and would flatter it.
 */
function withProbe(asks: readonly ToolAsks[], verdict: Verdict, at: number): readonly ToolAsks[] {
  if (verdict === 'inconclusive' || !toolFidelity(asks, at).underFloor) return asks;
  return countAsks(asks, [{ toolAsk: verdict === 'passed' ? 'kept' : 'broken' }], at);
}

/** The verdict of a check as it stands at `at`; null when none does, or it is older than 24 hours. */
export function standing(finding: Finding | undefined, at: number): 'passed' | 'failed' | null {
  return finding !== undefined && at - finding.verdictAt < EVIDENCE_MS ? finding.verdict : null;
}

/** The evidence as routing reads it at `at`. */
export function evidenceOf(findings: Findings, declaration: EndpointDeclaration, at: number): Evidence {
  const { percent, samples, underFloor } = toolFidelity(findings.asks, at);
  const failed = (check: Check): boolean => standing(findings.byCheck[check], at) === 'failed';
  const withheld = CHECKS.flatMap((check) =>
    failed(check) || (check === 'tools' && underFloor) ? (WITHHOLDS[check] ?? []) : [],
  );
  return {
    withheld: withheld.filter((name) => declaration.supportedParameters.includes(name)),
    refutedEfforts: EFFORTS.filter((effort) => failed(`effort:${effort}`)),
    dispatchVerified: standing(findings.byCheck.tool_dispatch, at) === 'passed',
    toolCallSuccess1d: percent,
    toolCallSuccess1dSamples: samples,
    checks: CHECKS.flatMap((check) => {
      const finding = findings.byCheck[check];
      return finding ? [{ check, verdict: standing(finding, at), triedAt: finding.triedAt }] : [];
    }),
  };
}
