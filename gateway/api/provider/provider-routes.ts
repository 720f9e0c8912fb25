import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { JSON_BODY } from '../../edge/body/route-body.ts';
import { providerOf } from '../../edge/provider-of.ts';
import type { RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { ProviderEarnings } from '../../jobs/earnings/provider-earnings.ts';
import { acceptCapacity } from './capacity.ts';
import { listEarnings } from './earnings.ts';
import { listMeasurements } from './measurements.ts';
import { refreshModelsDocument, showModelsDocument } from './models-document.ts';
import type { ProviderParts } from './provider-parts.ts';
import { listProviderStatements, showProviderStatement } from './provider-statements.ts';
import { listServing, showProvider } from './serving.ts';

type Answer = (provider: ProviderFacts, context: RequestContext) => RouteAnswer | Promise<RouteAnswer>;

/** What a provider reads and reports about itself. (rule C47, rule K11) */
export function providerRoutes(parts: ProviderParts): readonly Route[] {
  const { cluster, askMs, refreshModels } = parts;
  const earning = { cluster, earnings: new ProviderEarnings(cluster, askMs) };
  const own = (method: 'GET' | 'POST', path: string, answer: Answer): Route => ({
    method,
    path: `/provider${path}`,
    policy: 'provider',
    answer: (context) => answer(providerOf(context, cluster), context),
  });
  return [
    own('GET', '', (provider) => showProvider(provider, cluster)),
    own('GET', '/serving', (provider) => listServing(provider, cluster)),
    own('GET', '/measurements', (provider, context) => listMeasurements(context, provider, cluster)),
    { ...own('POST', '/capacity', (provider, context) => acceptCapacity(context, provider, parts)), body: JSON_BODY },
    own('GET', '/earnings', (provider, context) => listEarnings(context, provider, earning)),
    own('GET', '/models-document', (provider) => showModelsDocument(provider, parts)),
    own('POST', '/models-document/refresh', (provider) => refreshModelsDocument(provider, refreshModels)),
    own('GET', '/statements', (provider) => listProviderStatements(provider, earning)),
    own('GET', '/statements/:month', (provider, context) => showProviderStatement(context, provider, earning)),
  ];
}
