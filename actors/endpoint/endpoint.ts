/**
 * The endpoint kind, and how to declare and observe one. Resident; measurements are volatile, declarations and what
 * checks find are not: they are rare, and a node's death is no reason to route again to what was refuted.
 */
import { createHash } from 'node:crypto';
import type { Cluster, Json, Kind, View } from '../runtime/index.ts';
import type { EndpointDeclaration } from '../terms/declaration.ts';
import { endpointAddress } from '../terms/ids.ts';
import { plain } from '../terms/only.ts';
import { same } from '../terms/same.ts';
import { asVersion1, asVersion2 } from './charts.ts';
import { endpointMachine } from './endpoint.machine.ts';
import type { Observation } from './evidence.ts';
import { explainEvidence } from './explain-evidence.ts';
import { successesIn } from './health.ts';
import type { EndpointRecord } from './record.ts';
import type { ObservedAttempt } from './window.ts';

/** Board topic; keys are endpoint ids, values `Endpoint`. */
export const ENDPOINTS_TOPIC = 'endpoints';

export const endpointKind: Kind = {
  name: 'endpoint',
  machine: endpointMachine,
  version: 2,
  upcast: asVersion2,
  downcast: asVersion1,
  creates: ['endpoint.declare'],
  finishes: [],
  volatile: ['attempts.observed', 'probe.observed', 'actor.activated'],
  resident: true,
  collections: {},
  explain: explainEndpoint,
  redact: (context: Json) => context,
};

/** True when the declaration differs from the one before. */
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

/** Takes an endpoint off the board. True when it was on it. */
export async function withdrawEndpoint(cluster: Cluster, endpoint: string, withinMs: number): Promise<boolean> {
  const answer = await cluster.ask(
    endpointAddress(endpoint),
    { type: 'endpoint.withdraw' },
    { withinMs, repeat: same },
  );
  return (answer as { readonly changed: boolean }).changed;
}

/** Outcomes a gateway has gathered, oldest first. Best effort: measurements, not money. */
export function observeAttempts(cluster: Cluster, endpoint: string, attempts: readonly ObservedAttempt[]): void {
  cluster.tell(endpointAddress(endpoint), { type: 'attempts.observed', attempts: plain(attempts) });
}

export function observeProbe(cluster: Cluster, endpoint: string, ok: boolean): void {
  cluster.tell(endpointAddress(endpoint), { type: 'probe.observed', ok });
}

/** What a check has shown. Best effort: the next one comes. */
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
