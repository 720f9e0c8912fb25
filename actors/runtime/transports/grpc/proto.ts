import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, logVerbosity, type ServiceClientConstructor, setLogVerbosity } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PARENTS_MAX = 8;

// Every failure reaches its caller as an error; the library's own lines on stderr would only repeat it.
setLogVerbosity(logVerbosity.NONE);

/**
 * Loads one service of `proto/<file>`, found from the package's root: the nearest folder above this one that has a
 * `proto/` with that file, so it works from the sources and from `dist/`. Throws when there is none.
 */
export function loadService(file: string, pkg: string, service: string): ServiceClientConstructor {
  const definition = loadSync(protoPath(file), { longs: Number, enums: String, defaults: true });
  let node: unknown = loadPackageDefinition(definition);
  for (const part of [...pkg.split('.'), service]) node = (node as Record<string, unknown>)[part];
  return node as ServiceClientConstructor;
}

function protoPath(file: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < PARENTS_MAX; i++) {
    const candidate = join(folder, 'proto', file);
    if (existsSync(candidate)) return candidate;
    folder = dirname(folder);
  }
  throw new Error(`proto/${file} is missing from the package`);
}
