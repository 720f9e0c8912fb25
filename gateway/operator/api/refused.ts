import { Type } from 'typebox';
import type { RefusedRequest } from '../../../actors/terms/refused-request.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';

export interface RefusedServices {
  /** The newest refused requests of an account at this node. */
  readonly refused: (account: string) => readonly Omit<RefusedRequest, 'node'>[];
}

export const refusedRoutes = ({ refused }: RefusedServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/refused',
    policy: 'viewer',
    summary: 'The newest refused requests of an account that this node remembers, with the words of the refusal.',
    query: Type.Object({ account: Type.String({ description: 'its address, account:acct_...' }) }),
    answer: ({ query }) => ({ data: refused(query.account), next: null }),
  }),
];
