import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Declared } from './catalogue/declare.ts';
import { marketModels } from './catalogue/market-providers.ts';
import { simModels } from './catalogue/sim-models.ts';

/** An entry of `providers.json`: a declaration without its address and its models. */
interface Simulated {
  readonly name: string;
  /** The simulator whose process serves this provider too, below `/<slug>/v1`; absent: a process of its own. */
  readonly servedBy?: string;
}

/** Every simulated provider by its slug. */
export function simulatedProviders(): Readonly<Record<string, Simulated>> {
  // The build copies the file next to the compiled module; the launcher reads it too.
  const text = readFileSync(join(import.meta.dirname, 'providers.json'), 'utf8');
  return JSON.parse(text) as Readonly<Record<string, Simulated>>;
}

/** The slugs of the providers that the process of a simulator serves beside its own. */
export function guestsOf(host: string): readonly string[] {
  return Object.entries(simulatedProviders()).flatMap(([slug, { servedBy }]) => (servedBy === host ? [slug] : []));
}

/** The models document of a simulated provider, in the published shape; null for an unknown slug. */
export function modelsDocument(slug: string): { readonly data: readonly Declared[] } | null {
  const data = simModels(slug) ?? marketModels(slug);
  return data === null ? null : { data };
}

/** Writes the models documents of a simulator and its guests as `<slug>.models.json`; a reader sees whole files. */
export function writeDocuments(host: string, folder: string): void {
  for (const slug of [host, ...guestsOf(host)]) {
    const file = join(folder, `${slug}.models.json`);
    writeFileSync(`${file}.new`, JSON.stringify(modelsDocument(slug), null, 2));
    renameSync(`${file}.new`, file);
  }
}
