/**
 * The endpoint kind and its client functions. Resident. Measurements are volatile. Declarations and findings of checks
 * are durable: they are rare, and a node's death must not route requests to a refuted ability again.
 */
import { createHash } from 'node:crypto';
import type { Cluster, Json, Kind, SavedState, View } from '../runtime/index.ts';
import type { EndpointDeclaration } from '../terms/declaration.ts';
import { TOOL_CALL_SUCCESS_MIN } from '../terms/endpoint.ts';
import { endpointAddress } from '../terms/ids.ts';
import { plain } from '../terms/only.ts';
import { same } from '../terms/same.ts';
import { endpointMachine } from './endpoint.machine.ts';
import { EVIDENCE_MS, evidenceOf, type Finding, type Observation, validVerdict } from './evidence.ts';
import { successesIn } from './health.ts';
import type { EndpointRecord } from './record.ts';
import { toolFidelity } from './tool-asks.ts';
import type { ObservedAttempt } from './window.ts';

/** Board topic; keys are endpoint ids, values `Endpoint`. */
export const ENDPOINTS_TOPIC = 'endpoints';

export const endpointKind: Kind = {
  name: 'endpoint',
  machine: endpointMachine,
  version: 3,
  upcast: asVersion3,
  downcast: asVersion2,
  creates: ['endpoint.declare'],
  finishes: [],
  volatile: ['attempts.observed', 'probe.observed', 'actor.activated'],
  resident: true,
  collections: {},
  explain: explainEndpoint,
  redact: (context: Json) => context,
};

/** Returns true when the declaration differs from the previous one. */
export async function declareEndpoint(
  cluster: Cluster,
  declaration: EndpointDeclaration,
  withinMs: number,
): Promise<boolean> {
  const digest = createHash('sha256').update(JSON.stringify(declaration)).digest('hex');
  const event = { type: 'endpoint.declare', declaration: plain(declaration), digest };
  const answer = await cluster.ask(endpointAddress(declaration.id), event, { withinMs, repeat: same });
  return (answer as { readonly changed: boolean }).changed;
}

/** Removes an endpoint from the board. Returns true when it was on it. */
export async function withdrawEndpoint(cluster: Cluster, endpoint: string, withinMs: number): Promise<boolean> {
  const answer = await cluster.ask(
    endpointAddress(endpoint),
    { type: 'endpoint.withdraw' },
    { withinMs, repeat: same },
  );
  return (answer as { readonly changed: boolean }).changed;
}

/** Sends outcomes that a gateway has batched, oldest first. Best effort: these are measurements, not money. */
export function observeAttempts(cluster: Cluster, endpoint: string, attempts: readonly ObservedAttempt[]): void {
  cluster.tell(endpointAddress(endpoint), { type: 'attempts.observed', attempts: plain(attempts) });
}

export function observeProbe(cluster: Cluster, endpoint: string, ok: boolean): void {
  cluster.tell(endpointAddress(endpoint), { type: 'probe.observed', ok });
}

/** Sends the result of a check. Best effort: the next scheduled check replaces a lost one. */
export function observeCheck(cluster: Cluster, endpoint: string, seen: Observation): void {
  cluster.tell(endpointAddress(endpoint), { type: 'check.observed', ...seen });
}

function explainEndpoint(view: View): readonly string[] {
  const record = view.context as unknown as EndpointRecord;
  const { declaration, recent, probeFailures, measured } = record;
  if (declaration === null)
    return ['This endpoint is withdrawn: no configuration declares it, nothing is routed to it.'];
  const lines = [`${declaration.model} at ${declaration.provider.name} is ${view.state}.`];
  lines.push(
    recent.length < 5
      ? `Only ${recent.length} attempts were counted; health is judged from 5 on.`
      : `${successesIn(recent)} of its newest ${recent.length} attempts succeeded (90 % is healthy, 60 % degraded).`,
  );
  if (probeFailures > 0) {
    lines.push(
      `Its last ${probeFailures} probes failed: 2 in a row make it degraded, 4 down; one success clears them.`,
    );
  }
  if (measured.uptime30m !== null) lines.push(`Uptime over the last half hour: ${measured.uptime30m} %.`);
  if (measured.ttft30m !== null) {
    lines.push(
      `Time to first token over the last half hour: p50 ${measured.ttft30m.p50} s, p99 ${measured.ttft30m.p99} s.`,
    );
  }
  return lines.concat(explainEvidence(record, view.now));
}

const HOW_TO_RECOVER = `: under ${TOOL_CALL_SUCCESS_MIN} %, so tool requests go elsewhere; until it measures above again its tool checks are counted as well.`;

/** Explains the evidence in sentences, for `why`: each check, its time, its verdict and the end of its validity. */
function explainEvidence({ declaration, findings }: EndpointRecord, now: number): readonly string[] {
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
  const verdict = validVerdict(finding, now);
  const last = finding.tried === 'inconclusive' ? `inconclusive (${finding.detail})` : finding.detail;
  const tried = `The check of ${check} was last tried at ${isoTime(finding.triedAt)}: ${last}.`;
  if (verdict === null) return `${tried} It has no valid verdict: the ability is unverified.`;
  return `${tried} It has ${verdict}, found at ${isoTime(finding.verdictAt)}, which counts until ${isoTime(finding.verdictAt + EVIDENCE_MS)}.`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Version 2 recorded outcomes without their accounts. */
function asVersion3(saved: SavedState): SavedState {
  return { ...saved, context: plain({ ...(saved.context as object), recentBy: [] }) };
}

function asVersion2(saved: SavedState): SavedState {
  const { recentBy: _later, ...context } = saved.context as unknown as EndpointRecord;
  return { ...saved, context: plain(context) };
}
