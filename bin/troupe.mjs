#!/usr/bin/env node
/**
 * The `troupe` command: runs the build in `dist/`. In a checkout it builds first if there is none, and on a Node that
 * Troupe does not run on it continues with one that the scripts fetch; the packed product only names what it needs.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isSupported, SUPPORTED } from './supported-node.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'gateway', 'operator', 'cli', 'main.js');
const isCheckout = existsSync(join(root, 'scripts'));
if (isSupported(process.versions.node)) await start();
else if (isCheckout) await continueOnFetchedNode();
else refuse();

async function start() {
  if (!existsSync(main)) {
    const { ensureInstalled } = await import('../scripts/install.mjs');
    const { ensureBuilt } = await import('../scripts/build.mjs');
    ensureInstalled();
    await ensureBuilt();
  }
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
}

async function continueOnFetchedNode() {
  const { supportedNode } = await import('../scripts/node.mjs');
  const { runToEnd } = await import('../scripts/run.mjs');
  runToEnd(supportedNode(), process.argv.slice(1));
}

function refuse() {
  const remedy = 'install one of them from https://nodejs.org and run this again';
  process.stderr.write(`troupe: needs ${SUPPORTED}, and this is Node ${process.versions.node}; ${remedy}\n`);
  process.exitCode = 1;
}
