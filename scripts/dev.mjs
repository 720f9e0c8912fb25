/**
 * `node scripts/dev.mjs FILE ARG...`: runs a contributor's tool after installing the test packages. A TypeScript file
 * runs through tsx.
 */
import { spawn } from 'node:child_process';
import { ensureInstalled } from './install.mjs';

ensureInstalled({ tests: true });
const [file = '', ...args] = process.argv.slice(2);
const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
const child = spawn(process.execPath, [...loader, file, ...args], { stdio: 'inherit' });
// Ctrl-C reaches both processes; the tool decides how to react.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
