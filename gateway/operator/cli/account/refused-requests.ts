/** Prints `troupe accounts refused`: the newest refused requests of an account, and the failures behind them. */
import type { FailedCall, RefusedRequest } from '../../../../actors/terms/refused-request.ts';
import { table, timeOf } from '../frame/print.ts';

export function failedCallText({ provider, endpoint, category, text }: FailedCall): string {
  return `${provider} (${endpoint}): ${category}, ${text}`;
}

export function renderRefused(found: readonly RefusedRequest[]): string {
  if (found.length === 0) return 'no request of this account was refused in the last 30 days';
  const rows = found.map(({ at, status, type, route, generation, node, message, failure }) => [
    timeOf(at),
    status,
    type,
    route,
    generation,
    node,
    message ?? '-',
    failure === null ? '-' : failedCallText(failure),
  ]);
  return table(['AT', 'STATUS', 'TYPE', 'ROUTE', 'GENERATION', 'NODE', 'REASON', 'FAILURE OF THE PROVIDER'], rows);
}
