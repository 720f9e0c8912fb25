/** Explains an endpoint in sentences, for `why`: its health, its measured figures, and the evidence of its checks. */
import type { View } from '../runtime/index.ts';
import { type Measured, type Percentiles, TOOL_CALL_SUCCESS_MIN } from '../terms/endpoint.ts';
import { explainPause } from '../terms/pause.ts';
import { EVIDENCE_MS, evidenceOf, type Finding, toolFidelity, validVerdict } from './evidence.ts';
import { explainFailure, explainList, healthReason, observedIn } from './health.ts';
import type { EndpointRecord } from './record.ts';

export function explainEndpoint(view: View): readonly string[] {
  const record = view.context as unknown as EndpointRecord;
  const { declaration, measured } = record;
  if (declaration === null)
    return ['This endpoint is withdrawn: no configuration declares it, nothing is routed to it.'];
  const lines = [`${declaration.model} at ${declaration.provider.name} is ${view.state}.`];
  lines.push(...explainPause(record, `endpoints resume ${record.id}`));
  const observed = observedIn(record);
  lines.push(healthReason(observed), ...explainList(observed), ...explainFailure(record));
  return lines.concat(explainMeasured(measured), explainCapacity(record), explainEvidence(record, view.now));
}

/** The figures as published last, without those below their sample minimums. */
function explainMeasured(measured: Measured): readonly string[] {
  const { renderTiming, renderTimingSamples, renderTimingSizes, runaway1d, runaway1dSamples } = measured;
  const lines = [
    percent('Uptime over the last five minutes', measured.uptime5m, measured.uptime5mSamples),
    percent('Uptime over the last half hour', measured.uptime30m, measured.uptime30mSamples),
    percent('Uptime over the last day', measured.uptime1d, measured.uptime1dSamples),
    percent('Uptime over the last week', measured.uptime7d),
    spread('Time to first token over the last half hour', measured.ttft30m, 's'),
    spread('Time to first token over the last day', measured.ttft1d, 's'),
    spread('Response time over the last half hour', measured.response30m, 's'),
    spread('Response time over the last day', measured.response1d, 's'),
    spread('Throughput over the last half hour', measured.throughput30m, 'tokens/s'),
    spread('Throughput over the last day', measured.throughput1d, 'tokens/s'),
    percent('Long replies of the last day that ended repeating themselves', runaway1d, runaway1dSamples),
  ].filter((line) => line !== null);
  if (renderTiming === null) return lines;
  const { fixedSeconds, secondsPerMegapixel } = renderTiming;
  return lines.concat(
    `An image takes ${fixedSeconds} s and ${secondsPerMegapixel} s per megapixel (${renderTimingSamples} renders of ${renderTimingSizes} sizes).`,
  );
}

function percent(name: string, figure: number | null, samples?: number): string | null {
  if (figure === null) return null;
  return samples === undefined ? `${name}: ${figure} %.` : `${name}: ${figure} % of ${samples}.`;
}

function spread(name: string, figure: Percentiles | null, unit: string): string | null {
  if (figure === null) return null;
  return `${name}: p50 ${figure.p50}, p75 ${figure.p75}, p90 ${figure.p90}, p99 ${figure.p99} ${unit}.`;
}

function explainCapacity({ capacity }: EndpointRecord): readonly string[] {
  if (capacity === null) return [];
  const { current, total, reportedAt } = capacity;
  return [`Its provider reported ${current} of ${total} slots in use at ${isoTime(reportedAt)}.`];
}

const HOW_TO_RECOVER = `: under ${TOOL_CALL_SUCCESS_MIN} %, so tool requests go elsewhere; until it measures above again its tool checks are counted as well.`;

/** Explains the evidence in sentences, for `why`: each check, its time, its verdict and the end of its validity. */
function explainEvidence({ declaration, findings }: EndpointRecord, now: number): readonly string[] {
  if (declaration === null) return [];
  const lines = Object.entries(findings.byCheck).map(([check, finding]) => sentence(check, finding, now));
  const { percent: kept, samples, underFloor } = toolFidelity(findings.asks, now);
  if (kept !== null) {
    lines.push(
      `${kept} % of the ${samples} tool calls demanded in the last day were made${underFloor ? HOW_TO_RECOVER : '.'}`,
    );
  }
  for (const { dataset, score, samples, ranAt } of findings.benchmarks) {
    lines.push(`It scored ${score} % in ${samples} questions of ${dataset}, at ${isoTime(ranAt)}.`);
  }
  const { withheld } = evidenceOf(findings, declaration, now);
  if (withheld.length > 0) lines.push(`Withheld for now, although declared: ${withheld.join(', ')}.`);
  return lines;
}

function sentence(check: string, finding: Finding, now: number): string {
  const verdict = validVerdict(finding, now);
  const last = finding.tried === 'inconclusive' ? `inconclusive (${finding.detail})` : finding.detail;
  const tried = `The check of ${check} was last tried at ${isoTime(finding.triedAt)}: ${last}.`;
  if (verdict === null) return `${tried} It has no valid verdict: the ability is unverified.`;
  return `${tried} It has ${verdict}, found at ${isoTime(finding.verdictAt)}, which counts until ${isoTime(finding.verdictAt + EVIDENCE_MS)}.`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
