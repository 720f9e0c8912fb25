import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, logVerbosity, type ServiceClientConstructor, setLogVerbosity } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PARENTS_MAX = 8;

// Every failure reaches its caller as an error; the library's lines on stderr would repeat it.
setLogVerbosity(logVerbosity.NONE);

/**
 * Loads one service of `proto/<file>`, found in the nearest folder above this one that has `proto/<file>`, so that it
 * works from the sources and from `dist/`. Throws when no folder has it.
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
