import type { Cluster } from '../../../actors/runtime/index.ts';
import type { AttemptCounts, Endpoint, ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { measuredMembers } from '../../catalogue/endpoints.ts';
import { textOf } from '../../edge/query/query-values.ts';
import type { RequestContext } from '../../edge/request-context.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { ownEndpoint, ownEndpoints } from './own-endpoints.ts';

const WINDOWS = ['5m', '30m', '1d', '7d'] as const;
type Window = (typeof WINDOWS)[number];

/**
 * `GET /provider/measurements`: the catalogue's measured figures of the provider's endpoints, with the counted attempts
 * behind them and the errors by cause. `endpoint_id` selects one endpoint, `window` the figures of one window.
 */
export function listMeasurements(
  { query: text }: RequestContext,
  provider: ProviderFacts,
  cluster: Pick<Cluster, 'board' | 'now'>,
): RouteAnswer {
  const query = new URLSearchParams(text);
  const [id, window] = [textOf(query, 'endpoint_id'), windowOf(query)];
  const endpoints = id === null ? ownEndpoints(cluster, provider) : [ownEndpoint(cluster, provider, id)];
  const now = cluster.now();
  return jsonAnswer(JSON.stringify({ data: endpoints.map((endpoint) => measurements(endpoint, window, now)) }));
}

function windowOf(query: URLSearchParams): Window | null {
  const text = textOf(query, 'window');
  if (text === null) return null;
  const window = WINDOWS.find((one) => one === text);
  if (window === undefined) throw invalid(`window must be one of ${WINDOWS.join(', ')}`);
  return window;
}

function measurements(endpoint: Endpoint, window: Window | null, now: number): object {
  const { id, model, tag, health, measured } = endpoint;
  const figures = {
    ...measuredMembers(endpoint, now),
    attempts_last_30m: attempts(measured.counts30m),
    attempts_last_1d: attempts(measured.counts1d),
  };
  const shown = Object.entries(figures).filter(([name]) => window === null || isOf(name, window));
  return { endpoint_id: id, model_id: model, tag, health, ...Object.fromEntries(shown) };
}

/** True unless the figure's name states another window. */
function isOf(name: string, window: Window): boolean {
  const stated = WINDOWS.find((one) => name.endsWith(`_${one}`) || name.includes(`_${one}_`));
  return stated === undefined || stated === window;
}

function attempts({ success, error, tokens, causes }: AttemptCounts): object {
  return { total: success + error, succeeded: success, failed: error, tokens, errors_by_cause: causes };
}
