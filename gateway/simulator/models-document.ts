import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of `providers.json`: a declaration without its address; `models` is a file in this folder. */
export interface Simulated {
  readonly name: string;
  readonly models: string;
  /** The simulator whose process serves this provider too, below `/<slug>/v1`; absent: a process of its own. */
  readonly servedBy?: string;
}

/** Every simulated provider by its slug. */
export function simulatedProviders(): Readonly<Record<string, Simulated>> {
  return read('providers.json') as Readonly<Record<string, Simulated>>;
}

/** The slugs of the providers that the process of a simulator serves beside its own. */
export function guestsOf(host: string): readonly string[] {
  return Object.entries(simulatedProviders()).flatMap(([slug, { servedBy }]) => (servedBy === host ? [slug] : []));
}

/** The models document of a simulated provider, in the published shape; null for an unknown slug. */
export function modelsDocument(slug: string): { readonly data: readonly object[] } | null {
  const simulated = simulatedProviders()[slug];
  return simulated ? (read(simulated.models) as { readonly data: readonly object[] }) : null;
}

/** The build copies these files next to the compiled module. */
function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
}
