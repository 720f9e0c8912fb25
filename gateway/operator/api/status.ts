import type { Cluster } from '../../../actors/runtime/index.ts';
import { JSON_TYPE } from '../../http/write-answer.ts';
import type { ServingState } from '../../terms/serving-state.ts';
import { type OperatorRoute, operatorRoute, PortAnswer } from '../http/operator-route.ts';

export interface StatusServices {
  /** `ready` while the node serves requests: linked, connected, not draining. */
  readonly readiness: () => ServingState;
  /** The text of a scrape, and its media type. */
  readonly metrics: (cluster: Cluster) => Promise<{ readonly type: string; readonly body: string }>;
}

export const statusRoutes = ({ readiness, metrics }: StatusServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/health',
    policy: 'open',
    summary: 'Answers while the process runs.',
    answer: () => ({ status: 'ok' }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/ready',
    policy: 'open',
    summary: 'Answers 200 while the node serves requests, and 503 with the reason otherwise.',
    answer: () => {
      const status = readiness();
      const body = `${JSON.stringify({ status })}\n`;
      return new PortAnswer({ status: status === 'ready' ? 200 : 503, type: JSON_TYPE, body });
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/metrics',
    policy: 'viewer',
    summary: 'The metrics of the node in the text format of Prometheus.',
    answer: async ({ cluster }) => new PortAnswer(await metrics(cluster)),
  }),
];
