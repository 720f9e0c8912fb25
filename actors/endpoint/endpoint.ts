/**
 * The endpoint kind and its client functions. Resident. Measurements are volatile, and written every half minute at most.
 * Declarations and findings of checks are durable: they are rare, and a node's death must not route requests to a
 * refuted ability again.
 */
import { createHash } from 'node:crypto';
import type { Board, Cluster, Json, Kind } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import type { CallFailure, CapacityReport, Endpoint, EndpointDeclaration } from '../terms/endpoint.ts';
import { endpointAddress } from '../terms/ids.ts';
import { PAUSES_TOPIC, type Pause, pauseNote } from '../terms/pause.ts';
import { endpointMachine } from './endpoint.machine.ts';
import type { Observation, ObservedBenchmark } from './evidence.ts';
import { explainEndpoint } from './explain.ts';
import { HISTORY_COLLECTION, historyCollection } from './history.ts';
import type { Slots } from './record.ts';
import { FORMER_COLLECTION, formerCollection, formerProvider } from './record.ts';
import type { ObservedAttempt } from './window.ts';

/** Board topic; keys are endpoint ids, values `Endpoint`. */
export const ENDPOINTS_TOPIC = 'endpoints';

export const endpointKind: Kind = {
  name: 'endpoint',
  machine: endpointMachine,
  version: 1,
  creates: ['endpoint.declare'],
  finishes: [],
  volatile: ['attempts.observed', 'probe.observed', 'capacity.reported', 'endpoint.provider', 'actor.activated'],
  resident: true,
  collections: { [HISTORY_COLLECTION]: historyCollection, [FORMER_COLLECTION]: formerCollection },
  note: pauseNote,
  explain: explainEndpoint,
  redact: (context: Json) => context,
};

/** The paused ones as they are shown, for as long as the pause is the same object. */
const pausedOnes = new WeakMap<Endpoint, { readonly pause: Pause; readonly shown: Endpoint }>();
const merged = new WeakMap<
  ReadonlyMap<string, Json>,
  { readonly pauses: ReadonlyMap<string, Json>; readonly all: ReadonlyMap<string, Json> }
>();

/**
 * The endpoints of the board by id, those that an operator paused, or whose provider is paused, as `paused` and down.
 * The same map until one of them or a pause changes.
 */
export function endpointsOn(board: Pick<Board, 'topic'>): ReadonlyMap<string, Json> {
  const endpoints = board.topic(ENDPOINTS_TOPIC);
  const pauses = board.topic(PAUSES_TOPIC);
  if (pauses.size === 0) return endpoints;
  const known = merged.get(endpoints);
  if (known?.pauses === pauses) return known.all;
  const all = new Map<string, Json>();
  for (const [id, value] of endpoints) {
    const endpoint = value as unknown as Endpoint;
    const pause = pauses.get(id) ?? pauses.get(endpoint.provider.slug);
    all.set(id, pause === undefined ? value : plain(asPaused(endpoint, pause as unknown as Pause)));
  }
  merged.set(endpoints, { pauses, all });
  return all;
}

function asPaused(endpoint: Endpoint, pause: Pause): Endpoint {
  const known = pausedOnes.get(endpoint);
  if (known?.pause === pause) return known.shown;
  const shown = { ...endpoint, health: 'down', paused: pause } as const;
  pausedOnes.set(endpoint, { pause, shown });
  return shown;
}

interface Changed {
  readonly changed: boolean;
}

/** Returns true when the declaration differs from the previous one. */
export async function declareEndpoint(
  cluster: Cluster,
  declaration: EndpointDeclaration,
  withinMs: number,
): Promise<boolean> {
  const digest = createHash('sha256').update(JSON.stringify(declaration)).digest('hex');
  const event = { type: 'endpoint.declare', declaration: plain(declaration), digest };
  const answer = await ask<Changed>(cluster, endpointAddress(declaration.id), event, withinMs);
  return answer.changed;
}

/** Removes an endpoint from the board. Returns true when it was on it. */
export async function withdrawEndpoint(cluster: Cluster, endpoint: string, withinMs: number): Promise<boolean> {
  const answer = await ask<Changed>(cluster, endpointAddress(endpoint), { type: 'endpoint.withdraw' }, withinMs);
  return answer.changed;
}

/** Slug of the provider that an endpoint belongs to, or belonged to before it was withdrawn; null where unknown. */
export async function providerOfEndpoint(
  cluster: Pick<Cluster, 'ask' | 'rows'>,
  endpoint: string,
  withinMs: number,
): Promise<string | null> {
  const event = { type: 'endpoint.provider' };
  const answer = await ask<{ readonly provider: string | null }>(cluster, endpointAddress(endpoint), event, withinMs);
  return answer.provider ?? formerProvider(cluster, endpoint);
}

/** Sends outcomes that a gateway has batched, oldest first. Best effort: these are measurements, not money. */
export function observeAttempts(cluster: Cluster, endpoint: string, attempts: readonly ObservedAttempt[]): void {
  cluster.tell(endpointAddress(endpoint), { type: 'attempts.observed', attempts: plain(attempts) });
}

/** Reports a probe of the provider's model list; a null failure: it answered. */
export function observeProbe(cluster: Cluster, endpoint: string, failure: CallFailure | null): void {
  cluster.tell(endpointAddress(endpoint), { type: 'probe.observed', failure: failure && plain(failure) });
}

/** Sends the result of a check. Best effort: the next scheduled check replaces a lost one. */
export function observeCheck(cluster: Cluster, endpoint: string, seen: Observation): void {
  cluster.tell(endpointAddress(endpoint), { type: 'check.observed', ...seen });
}

/** Sends the result of a benchmark run, for at most 16 data sets per endpoint. */
export function observeBenchmark(cluster: Cluster, endpoint: string, run: ObservedBenchmark): void {
  cluster.tell(endpointAddress(endpoint), { type: 'benchmark.observed', ...run });
}

/**
 * Sends a provider's report of its slots; it counts for a minute. `reportedAt` is store time in ms, absent: now. Returns
 * the newest report, which another one may have replaced. Throws `unhandled` for an endpoint that is withdrawn.
 */
export async function reportCapacity(
  cluster: Cluster,
  endpoint: string,
  report: Slots & { readonly reportedAt?: number },
  withinMs: number,
): Promise<CapacityReport> {
  const event = { type: 'capacity.reported', ...report };
  return ask<CapacityReport>(cluster, endpointAddress(endpoint), event, withinMs);
}
