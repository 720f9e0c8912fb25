import { Type } from 'typebox';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import type { BoundedQueries } from '../sql/bounded-queries.ts';

export interface SqlServices {
  readonly queries: Pick<BoundedQueries, 'run'>;
}

export const sqlRoutes = ({ queries }: SqlServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'POST',
    path: '/api/sql',
    policy: 'viewer',
    summary: 'Runs a select over the views of the store; bounded in time, rows and bytes, and never a change.',
    body: Type.Object({ query: Type.String({ minLength: 1, description: 'one select, or with ... select' }) }),
    answers: Type.Object({
      columns: Type.Array(Type.String()),
      rows: Type.Array(Type.Array(Type.Unknown())),
      ms: Type.Integer({ description: 'how long it ran' }),
      cut: Type.Boolean({ description: 'more rows were left out' }),
    }),
    answer: ({ body }) => queries.run(body.query),
  }),
];
