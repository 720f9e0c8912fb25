import { TOOL_CALL_SUCCESS_MIN } from '../terms/endpoint.ts';
import { EVIDENCE_MS, evidenceOf, type Finding, standing } from './evidence.ts';
import type { EndpointRecord } from './record.ts';
import { toolFidelity } from './tool-asks.ts';

const HOW_TO_RECOVER = `: under ${TOOL_CALL_SUCCESS_MIN} %, so tool requests go elsewhere; until it measures above again its tool checks are counted as well.`;

/** What was verified, in sentences: which check, when, with what verdict, until when. (for `why`) */
export function explainEvidence({ declaration, findings }: EndpointRecord, now: number): readonly string[] {
  if (declaration === null) return [];
  const lines = Object.entries(findings.byCheck).map(([check, finding]) => sentence(check, finding, now));
  const { percent, samples, underFloor } = toolFidelity(findings.asks, now);
  if (percent !== null) {
    lines.push(
      `${percent} % of the ${samples} tool calls demanded in the last day were made${underFloor ? HOW_TO_RECOVER : '.'}`,
    );
  }
  const { withheld } = evidenceOf(findings, declaration, now);
  if (withheld.length > 0) lines.push(`Withheld for now, although declared: ${withheld.join(', ')}.`);
  return lines;
}

function sentence(check: string, finding: Finding, now: number): string {
  const verdict = standing(finding, now);
  const last = finding.tried === 'inconclusive' ? `inconclusive (${finding.detail})` : finding.detail;
  const tried = `The check of ${check} was last tried at ${text(finding.triedAt)}: ${last}.`;
  if (verdict === null) return `${tried} Nothing stands: it is unverified.`;
  return `${tried} It has ${verdict}, found at ${text(finding.verdictAt)}, which counts until ${text(finding.verdictAt + EVIDENCE_MS)}.`;
}

function text(at: number): string {
  return new Date(at).toISOString();
}
