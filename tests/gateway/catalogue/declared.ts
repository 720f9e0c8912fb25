import type { EndpointDeclaration } from '../../../actors/terms/endpoint.ts';
import { endpointDeclarations } from '../../../gateway/catalogue/document/endpoint-declaration.ts';
import { parseModelsText } from '../../../gateway/catalogue/document/models-document.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { MODEL } from '../../fixtures/models/plain.ts';

const PROVIDER: ProviderDeclaration = { slug: 'p', name: 'P', baseUrl: 'http://x/v1', models: 'none' };

/** The declaration of a provider with one model, parsed from the text of its document. */
export function declared(model: object, provider: Partial<ProviderDeclaration> = {}): EndpointDeclaration {
  const text = JSON.stringify({ data: [{ ...MODEL, ...model }] });
  const [first] = parseModelsText(text, (document) => endpointDeclarations({ ...PROVIDER, ...provider }, document));
  if (!first) throw new Error('nothing was declared');
  return first;
}
