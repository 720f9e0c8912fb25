/** Runs other programs from the repository's root. */
import { spawn, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export function log(line) {
  process.stderr.write(`${line}\n`);
}

/** Exits this process with one line if the tool fails. The tool writes to our stderr; stdout stays free for the caller. */
export function run(command, args, failure) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  log(`troupe: ${failure}${error ? ` (${error.message})` : ''}`);
  process.exit(1);
}

/** Runs a program in place of this process: the terminal, signals and the exit code are shared. */
export function runToEnd(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  // Ctrl-C reaches both processes; the program decides how to react.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}
