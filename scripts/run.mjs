/** Runs a tool in the repository's root and ends this process with one line when it fails. */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** The tool writes to our own stderr, so that stdout stays the caller's. */
export function run(command, args, failure) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  say(`troupe: ${failure}${error ? ` (${error.message})` : ''}`);
  process.exit(1);
}
