import { Type } from 'typebox';
import type { Declared } from '../../catalogue/declare/declare.ts';
import type { ServingState } from '../../terms/serving-state.ts';
import { type ChangePlan, change, quoted } from '../http/change.ts';
import { isAbsent, OperatorFault, type OperatorRoute } from '../http/operator-route.ts';

export interface ModelServices {
  readonly readiness: () => ServingState;
  /** Reloads models documents of one provider, or of all; null for a provider that is not declared. */
  readonly refreshModels: (provider: string | null) => Promise<readonly Declared[] | null>;
}

export const modelRoutes = ({ readiness, refreshModels }: ModelServices): readonly OperatorRoute[] => [
  change({
    path: '/api/models/refresh',
    summary: 'Load the models documents of one provider or of all now, as every node does from time to time.',
    members: { provider: Type.Optional(Type.String({ description: 'its slug; absent: every provider' })) },
    answers: { data: Type.Array(Type.Object({}, { description: 'what a document declares, or its problem' })) },
    plan: ({ body: { provider = null, reason } }): ChangePlan => {
      if (readiness() !== 'ready') throw new OperatorFault(503, 'unavailable', `the node is ${readiness()}`);
      const what = provider === null ? 'every provider' : `provider:${provider}`;
      return {
        would: `load the models documents of ${what}`,
        command: `troupe models refresh${provider === null ? '' : ` ${quoted(provider)}`} --reason ${quoted(reason)}`,
        audit: { action: 'models.refresh', target: what, detail: {} },
        run: async () => {
          const data = await refreshModels(provider);
          if (data === null) throw isAbsent(`provider:${provider}`);
          return { did: `loaded the models documents of ${what}`, data };
        },
      };
    },
  }),
];
