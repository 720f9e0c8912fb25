import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PARENTS_MAX = 8;

/** The version in the nearest `package.json` above this file, so that it works from the sources and from `dist/`. */
export function packageVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < PARENTS_MAX; i++, folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
  }
  throw new Error('package.json is missing from the package');
}
