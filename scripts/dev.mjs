/** `node scripts/dev.mjs FILE ARG...`: runs a contributor's tool after installing the test packages. */
import { ensureInstalled } from './install.mjs';
import { runToEnd } from './run.mjs';

ensureInstalled({ tests: true });
runToEnd(process.execPath, process.argv.slice(2));
