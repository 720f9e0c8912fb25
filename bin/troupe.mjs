#!/usr/bin/env node
/** The `troupe` command: runs the build in `dist/`, and builds first if there is none. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'gateway', 'operator', 'cli', 'main.js');
if (!existsSync(main)) {
  const { ensureInstalled } = await import('../scripts/install.mjs');
  const { ensureBuilt } = await import('../scripts/build.mjs');
  ensureInstalled();
  await ensureBuilt();
}
process.argv[1] = main;
await import(pathToFileURL(main).href);
