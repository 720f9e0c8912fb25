import type { Route } from '../../edge/route.ts';
import { acceptCapacity } from './capacity.ts';
import { listEarnings } from './earnings.ts';
import { listMeasurements } from './measurements.ts';
import { refreshModelsDocument, showModelsDocument } from './models-document.ts';
import { listProviderStatements, showProviderStatement } from './provider-statements.ts';
import { listServing, showProvider } from './serving.ts';

/** What a provider reads and reports about itself. (rule C47, rule K11) */
export const providerRoutes: readonly Route[] = [
  { method: 'GET', path: '/provider', policy: 'provider', body: 'none', answer: showProvider },
  { method: 'GET', path: '/provider/serving', policy: 'provider', body: 'none', answer: listServing },
  { method: 'GET', path: '/provider/measurements', policy: 'provider', body: 'none', answer: listMeasurements },
  { method: 'POST', path: '/provider/capacity', policy: 'provider', body: 'json', answer: acceptCapacity },
  { method: 'GET', path: '/provider/earnings', policy: 'provider', body: 'none', answer: listEarnings },
  { method: 'GET', path: '/provider/models-document', policy: 'provider', body: 'none', answer: showModelsDocument },
  {
    ...{ method: 'POST', path: '/provider/models-document/refresh', policy: 'provider', body: 'none' },
    answer: refreshModelsDocument,
  },
  { method: 'GET', path: '/provider/statements', policy: 'provider', body: 'none', answer: listProviderStatements },
  {
    ...{ method: 'GET', path: '/provider/statements/:month', policy: 'provider', body: 'none' },
    answer: showProviderStatement,
  },
];
