import { NO_EVIDENCE } from '../../../actors/endpoint/evidence.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import type { Evidence } from '../../../actors/terms/endpoint.ts';
import { endpointDeclarations, providerFacts } from '../../../gateway/catalogue/document/endpoint-declaration.ts';
import { parseModelsValue } from '../../../gateway/catalogue/document/models-document.ts';
import { simulatedProviders } from '../../../gateway/simulator/models-document.ts';
import { UNMEASURED } from '../../support/model/endpoints.ts';
import { simulatedProvider } from '../../support/provider/simulated-provider.ts';

type Topic = ReadonlyMap<string, Json>;

/** The board of the whole demo: its endpoints, with the given evidence, and its providers. */
export function demoBoard(found: Partial<Evidence> = {}): { readonly endpoints: Topic; readonly providers: Topic } {
  const endpoints = new Map<string, Json>();
  const providers = new Map<string, Json>();
  for (const slug of Object.keys(simulatedProviders())) {
    const provider = simulatedProvider(slug, 'http://secret/v1');
    const declared = parseModelsValue(provider.models, (document) => endpointDeclarations(provider, document));
    providers.set(slug, providerFacts(provider, declared) as unknown as Json);
    for (const each of declared) {
      const endpoint = {
        ...each,
        health: 'unknown',
        evidence: { ...NO_EVIDENCE, ...found },
        measured: UNMEASURED,
      };
      endpoints.set(each.id, endpoint as unknown as Json);
    }
  }
  return { endpoints, providers };
}
