/** Runs a tool in the repository's root and exits this process with one line if the tool fails. */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export function log(line) {
  process.stderr.write(`${line}\n`);
}

/** The tool writes to our stderr; stdout stays free for the caller. */
export function run(command, args, failure) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  log(`troupe: ${failure}${error ? ` (${error.message})` : ''}`);
  process.exit(1);
}
