import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelsDocument } from '../../../gateway/catalogue/document-schema.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';

/** A simulated provider as `providers.json` names it: a declaration that still lacks its address. */
export type Simulated = Omit<ProviderDeclaration, 'slug' | 'baseUrl' | 'models'> & { readonly models: string };

/** What a simulated provider declares, by its slug; null for a slug that declares nothing. Read from its own file. */
export function modelsDocument(slug: string): ModelsDocument | null {
  const simulated = simulatedProviders()[slug];
  return simulated ? (read(simulated.models) as ModelsDocument) : null;
}

/** A simulated provider as the configuration declares it once it listens. Throws for a slug that declares nothing. */
export function simulatedProvider(slug: string, baseUrl: string): ProviderDeclaration {
  const { models: _, ...simulated } = simulatedProviders()[slug] ?? { models: '' };
  const models = modelsDocument(slug);
  if (!models || !('name' in simulated)) throw new Error(`the simulator ${slug} declares no models`);
  return { slug, ...simulated, baseUrl, models };
}

function simulatedProviders(): Readonly<Record<string, Simulated>> {
  return read('providers.json') as Readonly<Record<string, Simulated>>;
}

/** Beside this file, or, from a build that copies no data, in the source tree of the package. */
function read(name: string): unknown {
  let folder = dirname(fileURLToPath(import.meta.url));
  if (!existsSync(join(folder, name))) {
    while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
    folder = join(folder, 'tests', 'support', 'provider');
  }
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}
