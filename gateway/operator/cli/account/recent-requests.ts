/** `troupe accounts recent`: what an account's newest requests cost, or why they were refused, in one list. */
import type { RefusedRequest } from '../../../../actors/terms/refused-request.ts';
import type { ListedGeneration } from '../../api/generations.ts';
import { table, timeOf } from '../frame/print.ts';
import { failedCallText } from './refused-requests.ts';

interface RecentRequest {
  readonly generation: string;
  /** Store time, ms. */
  readonly at: number;
  readonly outcome: string;
  /** The model that served, or the route of a request that none served. */
  readonly served: string;
  /** Exact USD; null without a charge. */
  readonly charge: string | null;
  /** As the client received it, and the failure of the provider behind it; null for an answer. */
  readonly reason: string | null;
}

/** Newest first. A request that was refused after its hold is in both lists, and is shown once. */
export function recentRequests(
  generations: readonly ListedGeneration[],
  refused: readonly RefusedRequest[],
  limit: number,
): readonly RecentRequest[] {
  const reasons = new Map(refused.map((one) => [one.generation, one]));
  const held = new Set(generations.map(({ id }) => id));
  const ended = generations.map((one) => ({
    generation: one.id,
    at: one.at,
    outcome: one.status,
    served: one.model,
    charge: one.failure === null ? one.cost : null,
    reason: reasonOf(reasons.get(one.id), one.failure?.reason),
  }));
  const others = refused
    .filter(({ generation }) => !held.has(generation))
    .map((one) => ({
      generation: one.generation,
      at: one.at,
      outcome: `refused ${one.status}`,
      served: one.route ?? '',
      charge: null,
      reason: reasonOf(one),
    }));
  return [...ended, ...others].sort((a, b) => b.at - a.at).slice(0, limit);
}

function reasonOf(refused: RefusedRequest | undefined, released?: string): string | null {
  const message = refused?.message ?? released ?? null;
  const failure = refused?.failure ?? null;
  if (failure === null) return message;
  return message === null ? failedCallText(failure) : `${message} (${failedCallText(failure)})`;
}

export function renderRecent(found: readonly RecentRequest[]): string {
  if (found.length === 0) return 'this account sent no request yet';
  const rows = found.map((one) => [
    timeOf(one.at),
    one.outcome,
    one.served,
    one.charge ?? '-',
    one.generation,
    one.reason,
  ]);
  return table(['AT', 'OUTCOME', 'MODEL OR ROUTE', 'CHARGE USD', 'GENERATION', 'REASON'], rows);
}
