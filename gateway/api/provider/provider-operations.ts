import { Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';
import type { Operation, Parameter } from '../wire/operation.ts';

const day = (name: string, description: string): Parameter => ({
  ...{ name, schema: Type.String({ format: 'date' }), description },
});
const provider = (operation: Omit<Operation, 'key'>): Operation => ({ ...operation, key: true });

/** The routes of a provider's account, as the published document shows them. */
export const PROVIDER_OPERATIONS: readonly Operation[] = [
  provider({
    ...{ method: 'get', path: '/provider', summary: 'The provider that the account belongs to' },
    reply: 'OwnProvider',
  }),
  provider({
    ...{ method: 'get', path: '/provider/serving', summary: "The provider's endpoints: state, prices, last day" },
    reply: 'Serving',
  }),
  provider({
    ...{ method: 'get', path: '/provider/measurements', summary: "The provider's measured figures, errors by cause" },
    query: [
      { name: 'endpoint_id', schema: Type.String() },
      { name: 'window', schema: oneOf('5m', '30m', '1d', '7d'), description: 'Only figures of this window.' },
    ],
    reply: 'Measurements',
  }),
  provider({
    ...{ method: 'post', path: '/provider/capacity', summary: 'Reports slots of an endpoint; counts for a minute' },
    ...{ body: 'CapacityReport', reply: 'Capacity' },
  }),
  provider({
    ...{ method: 'get', path: '/provider/earnings', summary: "The provider's earnings, by UTC day and endpoint" },
    query: [day('from', 'First day; absent: 29 days before `to`.'), day('to', 'Last day; absent: today.')],
    reply: 'Earnings',
  }),
  provider({
    ...{ method: 'get', path: '/provider/models-document', summary: 'Progress and history of its readings' },
    reply: 'ModelsDocumentState',
  }),
  provider({
    ...{ method: 'post', path: '/provider/models-document/refresh', summary: 'Reads the models document now' },
    ...{ reply: 'ModelsDocumentRefresh', status: 202 },
  }),
  provider({
    ...{ method: 'get', path: '/provider/statements', summary: 'The months with a statement, newest first' },
    reply: 'ProviderStatementList',
  }),
  provider({
    ...{ method: 'get', path: '/provider/statements/{month}', summary: 'The earnings of one month, as JSON or CSV' },
    query: [{ name: 'format', schema: oneOf('json', 'csv') }],
    reply: 'ProviderStatement',
  }),
];
