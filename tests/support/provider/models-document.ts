import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelsDocument } from '../../../gateway/terms/provider-declaration.ts';

/** What a simulated provider declares, by its slug; null for a slug that declares nothing. Read from `models.json`. */
export function modelsDocument(slug: string): ModelsDocument | null {
  const all = JSON.parse(readFileSync(modelsFile(), 'utf8')) as Record<string, ModelsDocument>;
  return all[slug] ?? null;
}

/** Beside this file, or, from a build that copies no data, in the source tree of the package. */
function modelsFile(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  const beside = join(folder, 'models.json');
  if (existsSync(beside)) return beside;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'tests', 'support', 'provider', 'models.json');
}
