import { Type } from 'typebox';
import type { ServingState } from '../../terms/serving-state.ts';
import { change, quoted } from '../http/change.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';

export interface ConfigurationServices {
  readonly readiness: () => ServingState;
  /** The configuration that the node runs with, without passwords. */
  readonly config: () => object;
  /** Why the node could not run with this configuration, as one line; null if it can. */
  readonly checkConfig: (value: unknown) => Promise<string | null>;
}

/** Of a configuration with its models documents. */
const CONFIG_BYTES_MAX = 16 * 1024 * 1024;

export const configurationRoutes = (services: ConfigurationServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/config',
    policy: 'viewer',
    summary: 'The configuration that this node runs with, without passwords.',
    answer: ({ cluster: { self } }) => ({
      node: self.name,
      incarnation: self.incarnation,
      state: services.readiness(),
      config: services.config(),
    }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/api/config/check',
    // It reads the files and the variables that the configuration names, and its answer tells of them.
    policy: 'operator',
    summary: 'Whether this node could run with a configuration; changes nothing.',
    body: Type.Object({ config: Type.Unknown({ description: 'a whole configuration' }) }),
    bodyBytesMax: CONFIG_BYTES_MAX,
    answers: Type.Object({ fault: Type.Union([Type.String(), Type.Null()]) }),
    answer: async ({ body }) => ({ fault: await services.checkConfig(body.config) }),
  }),
  change({
    path: '/api/config/reload',
    summary: 'Note in the audit log which members a new configuration changes; who asks then drains node after node.',
    members: {
      members: Type.Array(Type.String({ maxLength: 80 }), { maxItems: 32, description: 'changed members, the first' }),
      changed: Type.Integer({ minimum: 0, description: 'how many members are changed' }),
      nodes: Type.Array(Type.String(), { maxItems: 32, description: 'the nodes that are restarted' }),
    },
    plan: ({ body: { members, changed, nodes, reason } }) => ({
      would: `note that ${nodes.join(', ')} are restarted with ${changed} changed members`,
      command: `troupe reload-config --config FILE --yes --reason ${quoted(reason)}`,
      audit: { action: 'config.reload', target: 'cluster', detail: { members, changed, nodes } },
      run: async () => ({ did: `noted that ${nodes.join(', ')} are restarted` }),
    }),
  }),
];
