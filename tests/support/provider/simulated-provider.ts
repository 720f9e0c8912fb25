import type { ModelsDocument } from '../../../gateway/catalogue/document/document-schema.ts';
import * as simulator from '../../../gateway/simulator/models-document.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';

/** The models that a simulated provider declares; null for an unknown slug. */
export function modelsDocument(slug: string): ModelsDocument | null {
  return simulator.modelsDocument(slug) as ModelsDocument | null;
}

/** The configuration entry of a listening simulated provider. Throws for an unknown slug. */
export function simulatedProvider(slug: string, baseUrl: string): ProviderDeclaration {
  const models = modelsDocument(slug);
  const simulated = simulator.simulatedProviders()[slug];
  if (!models || !simulated) throw new Error(`the simulator ${slug} declares no models`);
  const { servedBy: _host, ...declared } = simulated;
  return { slug, ...declared, baseUrl, models };
}
