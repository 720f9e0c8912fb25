import { Type } from 'typebox';
import type { Declared } from '../../catalogue/declare/declare.ts';
import type { ServingState } from '../../terms/serving-state.ts';
import { isAbsent, OperatorFault, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';

export interface ModelServices {
  readonly readiness: () => ServingState;
  /** Reloads models documents of one provider, or of all; null for a provider that is not declared. */
  readonly refreshModels: (provider: string | null) => Promise<readonly Declared[] | null>;
}

export const modelRoutes = ({ readiness, refreshModels }: ModelServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'POST',
    path: '/api/models/refresh',
    policy: 'operator',
    summary: 'Load the models documents of one provider or of all now, as every node does from time to time.',
    body: Type.Object({ provider: Type.Optional(Type.String({ description: 'its slug; absent: every provider' })) }),
    answer: async ({ body: { provider = null } }) => {
      if (readiness() !== 'ready') throw new OperatorFault(503, 'unavailable', `the node is ${readiness()}`);
      const declared = await refreshModels(provider);
      if (declared === null) throw isAbsent(`the provider ${provider}`);
      return { data: declared, next: null };
    },
  }),
];
