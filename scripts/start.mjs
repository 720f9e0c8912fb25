/**
 * `npm start`: installs and builds if needed, then starts the cluster in this process. Options are passed to `troupe
 * up`.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { ROOT } from './run.mjs';

ensureInstalled();
await ensureBuilt();
const main = join(ROOT, 'dist', 'gateway', 'operator', 'cli', 'main.js');
process.argv = [process.execPath, main, 'up', ...process.argv.slice(2)];
await import(pathToFileURL(main).href);
