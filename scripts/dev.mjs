/**
 * `node scripts/dev.mjs FILE ARG...`: runs a contributor's tool after installing the test packages. A TypeScript file
 * runs through tsx.
 */
import { ensureInstalled } from './install.mjs';
import { runToEnd } from './run.mjs';

ensureInstalled({ tests: true });
const [file = '', ...args] = process.argv.slice(2);
const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
runToEnd(process.execPath, [...loader, file, ...args]);
