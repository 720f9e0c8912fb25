import { Type } from '@sinclair/typebox';
import { oneOf } from '../../../dialects/request/members.ts';
import type { Operation } from '../openapi/operation.ts';

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
];
