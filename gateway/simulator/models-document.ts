import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A simulated provider as `providers.json` names it: a declaration without its address, `models` a file beside it. */
export interface Simulated {
  readonly name: string;
  readonly models: string;
}

/** Every simulated provider by its slug. */
export function simulatedProviders(): Readonly<Record<string, Simulated>> {
  return read('providers.json') as Readonly<Record<string, Simulated>>;
}

/** The models that a simulated provider declares, in the published shape; null for an unknown slug. */
export function modelsDocument(slug: string): { readonly data: readonly object[] } | null {
  const simulated = simulatedProviders()[slug];
  return simulated ? (read(simulated.models) as { readonly data: readonly object[] }) : null;
}

/** The build copies these files beside the compiled module. */
function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
}
